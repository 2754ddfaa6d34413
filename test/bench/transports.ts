// Round trips through each transport, as ratios to the least that carries the same messages. Rounds are interleaved.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startNatsServer } from "../support/nats-server.ts";
import { pin } from "./cores.mjs";
import { LINKS, type Link } from "./links.ts";

const ROUNDS = 7;
const ROUND_MS = 1_000;
const IN_FLIGHT = [1, 64, 256];

interface Mark {
  readonly variant: string;
  readonly baseline: string;
  /** Least ratio of the rates at 256 in flight. */
  readonly mark: number;
}

const MARKS: readonly Mark[] = [
  { variant: "websocket", baseline: "bare websocket", mark: 1 },
  { variant: "nats", baseline: "bare nats", mark: 0.85 },
];

interface Measured {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

interface Subject {
  readonly variant: string;
  readonly link: Link;
  readonly child: ChildProcess;
  readonly measured: Map<number, Measured[]>;
}

async function start(variant: string, natsUrl: string): Promise<Subject> {
  const child = fork(fileURLToPath(new URL("transport-peer.js", import.meta.url)), [variant, natsUrl]);
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve(String(message)));
    child.once("exit", (code) => reject(new Error(`${variant} ended with ${code}`)));
  });
  if (child.pid !== undefined) pin(child.pid, 0);
  const open = LINKS[variant];
  if (!open) throw new Error(`no such variant: ${variant}`);
  return { variant, link: await open(url), child, measured: new Map(IN_FLIGHT.map((count) => [count, []])) };
}

/** Keeps so many requests in progress for a while. */
async function load(link: Link, inFlight: number, forMs: number): Promise<Measured> {
  const latencies: number[] = [];
  const began = performance.now();
  const end = began + forMs;
  const caller = async (): Promise<void> => {
    for (let at = performance.now(); at < end; ) {
      await link.ask();
      const now = performance.now();
      latencies.push(now - at);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const seconds = (performance.now() - began) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { rate: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function ratios(key: keyof Measured, of: Subject, to: Subject, inFlight: number): number[] {
  const baseline = to.measured.get(inFlight) ?? [];
  return (of.measured.get(inFlight) ?? []).map((measured, round) => measured[key] / (baseline[round]?.[key] ?? 0));
}

function describe(subject: Subject, inFlight: number): string {
  const rounds = subject.measured.get(inFlight) ?? [];
  const [rate, p50, p99] = (["rate", "p50", "p99"] as const).map((key) => median(rounds.map((round) => round[key])));
  const name = `${subject.variant}, ${inFlight} in flight`.padEnd(32);
  return `${name}${Math.round(rate ?? 0)
    .toString()
    .padStart(7)}/s  p50 ${p50?.toFixed(2)} ms  p99 ${p99?.toFixed(2)} ms`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const natsServer = await startNatsServer();
if (natsServer.pid !== undefined) pin(natsServer.pid, 0);
const pinned = pin(process.pid, 1) ? "engine and gateway on a core each" : "not pinned to cores";
const subjects = new Map<string, Subject>();
for (const variant of MARKS.flatMap(({ baseline, variant }) => [baseline, variant])) {
  subjects.set(variant, await start(variant, natsServer.url));
}
for (const { link } of subjects.values()) await load(link, 64, ROUND_MS);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const inFlight of IN_FLIGHT) {
    for (const { link, measured } of subjects.values())
      measured.get(inFlight)?.push(await load(link, inFlight, ROUND_MS));
  }
}
print(`Node ${process.versions.node}, ${ROUNDS} rounds of ${ROUND_MS} ms, ${pinned}`);
for (const subject of subjects.values()) for (const inFlight of IN_FLIGHT) print(describe(subject, inFlight));
for (const { variant, baseline, mark } of MARKS) {
  const [of, to] = [subjects.get(variant), subjects.get(baseline)];
  if (!of || !to) continue;
  for (const inFlight of IN_FLIGHT) {
    const [rate, p50, p99] = (["rate", "p50", "p99"] as const).map((key) => median(ratios(key, of, to, inFlight)));
    const verdict = inFlight === 256 ? ` (mark ${mark}: ${(rate ?? 0) >= mark ? "reached" : "missed"})` : "";
    const figures = `rate ${rate?.toFixed(2)}${verdict}, p50 ${p50?.toFixed(2)}, p99 ${p99?.toFixed(2)}`;
    print(`${variant} / ${baseline}, ${inFlight} in flight: ${figures}`);
  }
}
for (const { link, child } of subjects.values()) {
  await link.close();
  child.disconnect();
}
await natsServer.stop();
