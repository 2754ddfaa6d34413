import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pin } from "../bench/cores.mjs";
import { Workplace } from "../cli/workplace.ts";
import { startNatsServer } from "../support/nats-server.ts";
import { pathOf } from "../tls/stores.ts";
import { Caller, type Reply } from "./caller.ts";
import { fixPortIn, haltsAt, type StormEngine, setEngineFlood, startSimulator, startStormEngine } from "./engine.ts";
import type { EngineFlood, FloodPart, Site } from "./flood.ts";
import { ended, GatewayProcess } from "./gateway-process.ts";
import { MemoryWatch } from "./memory.ts";
import { installation, takePositions } from "./positions.ts";
import { type Records, recordsIn } from "./records.ts";
import { TakenTime } from "./taken-time.ts";
import { TokenIssuer } from "./tokens.ts";
import { credentials, writeUsers } from "./users.ts";

/** Where audit files are written to memory: a disk that is slow now and then is slow without a storm, too. */
const MEMORY = "/dev/shm";

/** So few connections that a flood can use them up. The gateway trusts what this machine says of addresses. */
const SETTINGS = `server.port: 0
server.max-connections: 600
server.trusted-proxies: 127.0.0.1
server.forwarded-header: Forwarded
gateway.console.enabled: true
`;

const HALT = { method: "POST", path: "/trading/halt", body: '{"reason":"drill"}' } as const;

/** One halt in three has its own connection, as the first of an operator would. */
const FRESH_IN = 3;

/** What a flood was answered: how often each status, or code of an error. */
export type Counts = Readonly<Record<string, number>>;

/** What a task has come to while a flood lasted. */
export interface InFlood<T> {
  readonly result: T;
  readonly counts: Counts;
  /** Most memory that the gateway took. */
  readonly peakMb: number;
}

interface Parts {
  readonly gateway: GatewayProcess;
  readonly engine: StormEngine | undefined;
  readonly auditFolder: string;
  readonly tokens: TokenIssuer | undefined;
}

/** A gateway on one core; on the other its engine, a monitor behind it, an operator who halts, and at low priority a flood. */
export class StormRig {
  readonly gateway: GatewayProcess;
  readonly #engine: StormEngine | undefined;
  readonly #auditFolder: string;
  /** In place of passwords, if there are tokens. */
  readonly #tokens: TokenIssuer | undefined;
  readonly #operator: Caller;
  readonly #opened: Opened;

  private constructor({ gateway, engine, auditFolder, tokens }: Parts, opened: Opened) {
    this.gateway = gateway;
    this.#engine = engine;
    this.#auditFolder = auditFolder;
    this.#tokens = tokens;
    this.#opened = opened;
    this.#operator = this.caller("chief", new TakenTime(gateway.pid, engine?.process.pid));
  }

  /** `settings` are those of the gateway besides. */
  static async start(site: Site, settings = ""): Promise<StormRig> {
    const opened = new Opened();
    try {
      const workplace = new Workplace();
      opened.add(() => workplace.close());
      await writeUsers(workplace);
      const auditFolder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "trading-admin-storm-"));
      opened.add(() => rmSync(auditFolder, { recursive: true }));
      workplace.write("installation.yaml", installation());
      const engine = site.engine === "embedded" ? undefined : await openEngine(site, opened, workplace.path);
      const monitor = await openMonitor(opened);
      const tokens = site.tokens && (await TokenIssuer.start());
      opened.add(() => tokens?.close());
      const audit = `admin.audit.file: ${join(auditFolder, "audit.jsonl")}\n`;
      const behind = `gateway.monitor.url: ${monitor}\n${engineSettings(site, engine)}${tokens?.settings ?? ""}`;
      workplace.write("application.yaml", `${SETTINGS}${audit}${behind}${site.tls ? tlsSettings() : ""}${settings}`);
      const gateway = await GatewayProcess.start(workplace);
      opened.add(() => gateway.kill());
      const rig = new StormRig({ gateway, engine, auditFolder, tokens }, opened);
      if (engine === undefined) await takePositions(Array.from({ length: 8 }, () => rig.caller("chief")));
      return rig;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** A user of the API, who is gone when the rig is closed. */
  caller(user: string, machine?: TakenTime): Caller {
    const caller = new Caller(this.gateway.url, user, this.#authorization(credentials(user)), machine);
    this.#opened.add(() => caller.close());
    return caller;
  }

  /** Halts so many times, one after the other; gives up when all together take longer than a patient operator waits. */
  halts(count: number, everyMs: number, timeoutMs = Number.POSITIVE_INFINITY): Promise<Reply[]> {
    const deadline = performance.now() + timeoutMs;
    return this.#operator.repeat(
      HALT,
      everyMs,
      ({ length }) => length === count || performance.now() > deadline,
      FRESH_IN,
    );
  }

  /**
   * Lets a flood come while `task` runs, from a moment before it on, `fromEngine` that of the engine; `task` may ask for what has been
   * answered so far.
   */
  async during<T>(
    parts: readonly FloodPart[],
    leadMs: number,
    task: (counts: () => Counts) => Promise<T>,
    fromEngine?: EngineFlood,
  ): Promise<InFlood<T>> {
    const flood = fork(new URL("flood.mjs", import.meta.url));
    const watch = new MemoryWatch(this.gateway.pid, flood);
    try {
      // On a machine of its own it would take no processor time from the gateway, nor from the operator and the engine.
      pin(flood.pid ?? 0, 1);
      setPriority(flood.pid ?? 0, constants.priority.PRIORITY_LOW);
      let counts: Counts = {};
      flood.on("message", (message: { counts: Counts }) => {
        counts = message.counts;
      });
      flood.send({ parts: parts.map((part) => ({ ...this.#withTokens(part), target: this.#targetOf(part) })) });
      if (fromEngine) this.#letEngineFlood(fromEngine);
      await Promise.race([once(flood, "message"), once(flood, "exit")]);
      await pause(leadMs);
      const result = await task(() => counts);
      if (flood.exitCode !== null) throw new Error(`the flood ended by itself, with ${flood.exitCode}`);
      return { result, counts, peakMb: watch.peakMb };
    } finally {
      if (fromEngine) this.#letEngineFlood(undefined);
      watch.stop();
      await ended(flood);
    }
  }

  #letEngineFlood(flood: EngineFlood | undefined): void {
    if (!this.#engine) throw new Error("the engine has no link that it could flood");
    setEngineFlood(this.#engine, flood);
  }

  /**
   * Keeps the other core busy while `task` runs, as a flood does, and takes no time from those who are on it. Two cores of a virtual machine
   * are often one: each is slower while the other works, and what is compared with a flood has to have that, too.
   */
  async besideBusyCore<T>(task: () => Promise<T>): Promise<T> {
    const busy = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
    try {
      pin(busy.pid ?? 0, 1);
      setPriority(busy.pid ?? 0, constants.priority.PRIORITY_LOW);
      return await task();
    } finally {
      await ended(busy);
    }
  }

  /** What the audit files hold. */
  records(): Promise<Records> {
    return recordsIn(this.#auditFolder);
  }

  /** How often the engine was given each halt, by request id; undefined where it cannot be asked. */
  async haltsAtEngine(): Promise<Readonly<Record<string, number>> | undefined> {
    // The simulated one keeps no list.
    return this.#engine?.fixPort === undefined ? this.#engine && haltsAt(this.#engine) : undefined;
  }

  close(): Promise<void> {
    return this.#opened.close();
  }

  #withTokens(part: FloodPart): FloodPart {
    const requests = part.requests.map(({ headers, ...request }) => {
      const basic = headers?.authorization;
      return { ...request, headers: { ...headers, ...(basic && { authorization: this.#authorization(basic) }) } };
    });
    return { ...part, requests };
  }

  #authorization(basic: string): string {
    return this.#tokens?.inPlaceOf(basic) ?? basic;
  }

  #targetOf({ to }: FloodPart): { host: string; port: number; tls: boolean } {
    if (to === "fix")
      return { host: "127.0.0.1", port: this.#engine?.fixPort ?? fixPortIn(this.gateway.log), tls: false };
    const { hostname, port, protocol } = new URL(this.gateway.url);
    return { host: hostname, port: Number(port), tls: protocol === "https:" };
  }
}

/** What has to be closed, the last first. */
class Opened {
  readonly #closers: (() => Promise<void> | void)[] = [];

  add(close: () => Promise<void> | void): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

async function openEngine({ engine: bus, simulator }: Site, opened: Opened, cwd: string): Promise<StormEngine> {
  let natsUrl: string | undefined;
  if (bus === "nats") {
    // 10,000 positions are one message.
    const server = await startNatsServer({ configuration: "max_payload: 8388608" });
    opened.add(() => server.stop());
    natsUrl = server.url;
  }
  const engine = await (simulator ? startSimulator(cwd, natsUrl) : startStormEngine(natsUrl));
  opened.add(() => ended(engine.process));
  return engine;
}

async function openMonitor(opened: Opened): Promise<string> {
  const monitor: ChildProcess = fork(new URL("monitor.mjs", import.meta.url));
  opened.add(() => ended(monitor));
  const [{ url }] = (await once(monitor, "message")) as [{ url: string }];
  return url;
}

function engineSettings({ engine: transport }: Site, engine: StormEngine | undefined): string {
  if (engine === undefined) return "admin.engine: { installation: installation.yaml, fix-port: 0 }\n";
  return `admin.engine: { transport: ${transport}, url: "${engine.url}" }\n`;
}

function tlsSettings(): string {
  return `server.ssl: { certificate: "${pathOf("ec.pem")}", certificate-private-key: "${pathOf("ec.key")}" }\n`;
}

/** Milliseconds of replies, less what the machine gave to others meanwhile. */
export function times(replies: readonly Reply[]): number[] {
  return replies.map(({ ms, takenMs }) => Math.max(0, ms - takenMs));
}

/** The value that this part of the values does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}
