// What ten times the rows cost: a list by itself, and halts while four callers read lists, through a gateway as it is started and an
// engine over WebSocket, each in its own process. Both sizes take turns; the median ratio counts.
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { pin } from "./cores.mjs";
import { AUTHORIZATION } from "./credentials.mjs";

const ROUNDS = 9;
const LISTS = 20;
const HALTS = 40;
const READERS = 4;
const SIZES = [1_000, 10_000];
const MARKS = { list: 10, halt: 1.5 };

const SERVICES = { method: "GET", path: "/api/admin/v1/services" };
const HALT = { method: "POST", path: "/api/admin/v1/trading/halt", body: '{"reason":"bench"}' };

const agent = new Agent({ keepAlive: true });

async function start(rows) {
  const engine = fork(fileURLToPath(new URL("rows-engine.mjs", import.meta.url)), [String(rows)]);
  const [engineUrl] = await once(engine, "message");
  pin(engine.pid, 1);
  const gateway = fork(fileURLToPath(new URL("gateway-server.mjs", import.meta.url)), ["gateway", engineUrl]);
  const [{ port, pid }] = await once(gateway, "message");
  pin(pid, 0);
  return { port, children: [engine, gateway], list: [], halt: [] };
}

/** Milliseconds until the whole response is there. */
async function call(port, { method, path, body }) {
  const began = performance.now();
  const headers = { authorization: AUTHORIZATION, ...(body && { "content-type": "application/json" }) };
  const sent = request({ host: "127.0.0.1", port, method, path, headers, agent });
  sent.end(body);
  const [response] = await once(sent, "response");
  for await (const _ of response);
  if (response.statusCode !== 200) throw new Error(`${method} ${path} was answered ${response.statusCode}`);
  return performance.now() - began;
}

async function medianOf(times, work) {
  const all = [];
  for (let time = 0; time < times; time += 1) all.push(await work());
  return median(all);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Does something while readers are busy. */
async function whileRead(port, work) {
  const url = `http://127.0.0.1:${port}${SERVICES.path}`;
  const readers = fork(fileURLToPath(new URL("rows-readers.mjs", import.meta.url)), [url, String(READERS)]);
  await once(readers, "message");
  try {
    return await work();
  } finally {
    readers.disconnect();
    await once(readers, "exit");
  }
}

const subjects = [];
for (const rows of SIZES) subjects.push(await start(rows));
const pinned = pin(process.pid, 1) ? "gateways on one core, the rest on another" : "not pinned to cores";
for (const { port } of subjects) await medianOf(LISTS, () => call(port, SERVICES));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { port, list, halt } of subjects) {
    list.push(await medianOf(LISTS, () => call(port, SERVICES)));
    halt.push(await whileRead(port, () => medianOf(HALTS, () => call(port, HALT))));
  }
}
for (const { children } of subjects) for (const child of children) child.disconnect();
agent.destroy();

const [few, many] = subjects;
console.log(`Node ${process.versions.node}, ${ROUNDS} rounds, ${SIZES.join(" and ")} services, ${pinned}`);
for (const [what, mark] of Object.entries(MARKS)) {
  const ratios = many[what].map((ms, round) => ms / few[what][round]);
  const ratio = median(ratios);
  const verdict = `mark: at most ${mark}: ${ratio <= mark ? "reached" : "missed"}`;
  const each = ratios.map((value) => value.toFixed(2)).join(" ");
  console.log(`${what}: ${median(few[what]).toFixed(1)} and ${median(many[what]).toFixed(1)} ms`);
  console.log(`${what} of ${SIZES[1]} / of ${SIZES[0]}: ${ratio.toFixed(2)} (${verdict}; rounds ${each})`);
}
