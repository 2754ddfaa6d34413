// Requests per second of servers, as ratios to others in the same run. Rounds are interleaved, so that what disturbs the machine
// disturbs all variants alike; the median ratio counts.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { pin } from "./cores.mjs";
import { AUTHORIZATION } from "./credentials.mjs";

export const STATUS_PATH = "/api/admin/v1/trading/status";
const ROUNDS = 15;
const SECONDS = 1;

/**
 * Starts the variants that the marks name, each as `node FILE VARIANT ENGINE_URL`, loads them in turn and prints the ratios. They have one
 * engine, over WebSocket, as where they are in use; it runs beside the load.
 */
export async function compare(file, marks, warmUpSeconds = 2) {
  const variants = [...new Set(marks.flatMap(({ variant, baseline }) => [baseline, variant]))];
  const pinned = pin(process.pid, 1) ? "server and load on a core each" : "not pinned to cores";
  const engine = fork(fileURLToPath(new URL("status-engine.mjs", import.meta.url)));
  const [engineUrl] = await once(engine, "message");
  pin(engine.pid, 1);
  const servers = await Promise.all(variants.map((variant) => start(file, variant, engineUrl)));
  for (const server of servers) await load(server, warmUpSeconds);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const server of servers) server.rates.push(await load(server, SECONDS));
  }
  console.log(
    `Node ${process.versions.node}, ${ROUNDS} rounds of ${SECONDS} s, 64 connections, GET ${STATUS_PATH}, ${pinned}`,
  );
  print(servers, marks);
  for (const { child } of servers) child.disconnect();
  engine.disconnect();
}

async function start(file, variant, engineUrl) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [variant, engineUrl]);
  const { port, pid = child.pid } = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`${variant} ended with ${code}`)));
  });
  pin(pid, 0);
  return { variant, child, url: `http://127.0.0.1:${port}${STATUS_PATH}`, rates: [] };
}

async function load({ variant, url }, seconds) {
  const result = await autocannon({
    url,
    connections: 64,
    duration: seconds,
    headers: { authorization: AUTHORIZATION },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${variant}: ${result.non2xx} non-2xx, ${result.errors} errors`);
  return result["2xx"] / result.duration;
}

function print(servers, marks) {
  const byVariant = new Map(servers.map(({ variant, rates }) => [variant, rates]));
  for (const { variant, rates } of servers) {
    console.log(`${variant.padEnd(16)} ${Math.round(median(rates)).toString().padStart(7)} requests/s`);
  }
  for (const { variant, baseline, mark } of marks) {
    const ratios = byVariant.get(variant).map((rate, round) => rate / byVariant.get(baseline)[round]);
    const ratio = median(ratios);
    const verdict = mark === undefined ? "" : `mark ${mark}: ${ratio >= mark ? "reached" : "missed"}; `;
    console.log(
      `${variant} / ${baseline}: ${ratio.toFixed(2)} (${verdict}rounds ${ratios.map((r) => r.toFixed(2)).join(" ")})`,
    );
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
