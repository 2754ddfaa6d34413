// The work of a hundred gateways on one NATS server and one engine beside that of one, as processor time of all three for the same
// halts, one after the other: many in flight at one gateway share a write, which says nothing of growth. Rounds are interleaved; the
// median ratio counts.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AdminApi } from "../../src/core/admin-api.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { NatsTransport } from "../../transports/nats.ts";
import { startNatsServer } from "../support/nats-server.ts";
import { pin } from "./cores.mjs";

const ROUNDS = 9;
const HALTS = 1_000;
const MANY = 100;
const MARK = 1.2;

const chief = principal("bench", PERMISSIONS);

async function openGateway(url: string): Promise<AdminApi> {
  const transport = new NatsTransport({ servers: url });
  const api = new AdminApi({ transport, audit: { write() {} } });
  await api.start();
  while (transport.state !== "up") await new Promise((resolve) => setTimeout(resolve, 5));
  // The first command of a gateway reads the engine's clock.
  await api.call("haltTrading", {}, chief);
  return api;
}

/** Milliseconds of processor time of all halts, which the gateways get in turn. */
async function halts(gateways: readonly AdminApi[]): Promise<number> {
  const began = work();
  for (let index = 0; index < HALTS; index += 1) {
    await gateways[index % gateways.length]?.call("haltTrading", {}, chief);
  }
  return work() - began;
}

/** Milliseconds of processor time of the gateways, the server and the engine until now. */
function work(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + workOf(natsServer.pid) + workOf(engine.pid);
}

/** Of another process (proc(5), fields 14 and 15 of `stat`, in hundredths of a second). */
function workOf(pid: number | undefined): number {
  const [, afterName = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = afterName.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const natsServer = await startNatsServer();
const engine = fork(fileURLToPath(new URL("transport-peer.js", import.meta.url)), ["nats", natsServer.url]);
await once(engine, "message");
for (const pid of [natsServer.pid, engine.pid]) if (pid !== undefined) pin(pid, 0);
const pinned = pin(process.pid, 1) ? "engine and gateways on a core each" : "not pinned to cores";

const one = [await openGateway(natsServer.url)];
const many = await Promise.all(Array.from({ length: MANY }, () => openGateway(natsServer.url)));
const taken: { one: number; many: number }[] = [];
for (const gateways of [one, many]) await halts(gateways);
for (let round = 0; round < ROUNDS; round += 1) taken.push({ one: await halts(one), many: await halts(many) });
for (const gateway of [...one, ...many]) await gateway.close();
engine.disconnect();
await natsServer.stop();

const ratios = taken.map(({ one, many }) => many / one);
const ratio = median(ratios);
const each = ratios.map((value) => value.toFixed(2)).join(" ");
process.stdout.write(
  `Node ${process.versions.node}, ${ROUNDS} rounds of ${HALTS} halts, ${pinned}
${Math.round(median(taken.map(({ one }) => one)))} ms of processor time with one gateway, ${Math.round(median(taken.map(({ many }) => many)))} ms with ${MANY}
${MANY} gateways / one: ${ratio.toFixed(2)} (mark: at most ${MARK}: ${ratio <= MARK ? "reached" : "missed"}; rounds ${each})
`,
);
