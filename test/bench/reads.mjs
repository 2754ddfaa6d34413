// What a read of 10,000 positions costs on the embedded engine, through the handler and in the engine alone, as ratios to parsing
// and printing the same bytes in the same process. Rounds are interleaved, so that what disturbs the machine disturbs all
// alike; the median ratio counts.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { pin } from "./cores.mjs";
import { AUTHORIZATION } from "./credentials.mjs";

const ROUNDS = 7;
const SECONDS = 2;
const CONNECTIONS = 2;
const MARK = 3;

const child = fork(fileURLToPath(new URL("reads-server.mjs", import.meta.url)));
const [{ port, bytes }] = await once(child, "message");
const pinned = pin(child.pid, 0) && pin(process.pid, 1) ? "server and load on a core each" : "not pinned to cores";

async function ask(request) {
  const answer = once(child, "message");
  child.send(request);
  return (await answer)[0];
}

/** Milliseconds of each read under load, on the clock and of processor time. */
async function reads(seconds) {
  const before = await ask("cpu");
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/api/admin/v1/positions`,
    method: "POST",
    headers: { authorization: AUTHORIZATION, "content-type": "application/json" },
    body: '{"projection":"Account/Symbol"}',
    connections: CONNECTIONS,
    duration: seconds,
  });
  const after = await ask("cpu");
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} non-2xx, ${result.errors} errors`);
  const cpu = (after.user + after.system - before.user - before.system) / 1000;
  return { clock: (result.duration * 1000) / result["2xx"], cpu: cpu / result["2xx"] };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const WORK = { "parse and stringify": () => ask("yardstick"), engine: () => ask("engine"), read: () => reads(SECONDS) };

await reads(2);
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const results = {};
  for (const [name, work] of Object.entries(WORK)) results[name] = await work();
  rounds.push(results);
}
child.disconnect();

const size = `${(bytes / 1e6).toFixed(1)} MB`;
console.log(
  `Node ${process.versions.node}, ${ROUNDS} rounds, 10,000 positions in ${size}, ${CONNECTIONS} connections, ${pinned}`,
);
for (const name of Object.keys(WORK)) {
  const [clock, cpu] = ["clock", "cpu"].map((unit) => median(rounds.map((results) => results[name][unit])).toFixed(1));
  console.log(`${name.padEnd(20)} ${clock.padStart(7)} ms, of which ${cpu} ms of processor time`);
}
for (const [name, unit] of [
  ["engine", "cpu"],
  ["read", "clock"],
  ["read", "cpu"],
]) {
  const ratios = rounds.map((results) => results[name][unit] / results["parse and stringify"][unit]);
  const ratio = median(ratios);
  const verdict = name === "engine" ? "" : `mark: at most ${MARK}: ${ratio <= MARK ? "reached" : "missed"}; `;
  const each = ratios.map((value) => value.toFixed(2)).join(" ");
  console.log(`${name} / parse and stringify, by ${unit}: ${ratio.toFixed(2)} (${verdict}rounds ${each})`);
}
