// Requests per second through the gateway to the monitor backend, as a ratio to a bare http-proxy with a keep-alive agent.
// Rounds are interleaved, so that what disturbs the machine disturbs both alike; the median ratio counts.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { pin } from "./cores.mjs";

const ROUNDS = 7;
const SECONDS = 2;
const MARK = 0.9;
const PATHS = ["/small", "/large"];
const BARE = "bare http-proxy";

async function start(variant, core, ...options) {
  const child = fork(fileURLToPath(new URL("proxy-server.mjs", import.meta.url)), [variant, ...options]);
  const port = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`${variant} ended with ${code}`)));
  });
  pin(child.pid, core);
  return { variant, child, url: `http://127.0.0.1:${port}` };
}

function cpuMicroseconds(child) {
  return new Promise((resolve) => {
    child.once("message", ({ user, system }) => resolve(user + system));
    child.send("cpu");
  });
}

/** Requests per second, and microseconds of processor time that the server used for each. */
async function load({ variant, url, child }, path, seconds) {
  const before = await cpuMicroseconds(child);
  const result = await autocannon({ url: url + path, connections: 64, duration: seconds });
  const used = (await cpuMicroseconds(child)) - before;
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${variant}: ${result.non2xx} non-2xx, ${result.errors} errors`);
  return { rate: result["2xx"] / result.duration, cost: used / result["2xx"] };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const pinned = pin(process.pid, 1) ? "proxies on one core, backend and load on the other" : "not pinned to cores";
const backend = await start("backend", 1);
const proxies = [await start(BARE, 0, backend.url), await start("gateway", 0, backend.url)];
console.log(`Node ${process.versions.node}, ${ROUNDS} rounds of ${SECONDS} s, 64 connections, ${pinned}`);
for (const path of PATHS) {
  for (const proxy of proxies) await load(proxy, path, 2);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const results = {};
    for (const proxy of proxies) results[proxy.variant] = await load(proxy, path, SECONDS);
    rounds.push(results);
  }
  for (const { variant } of proxies) {
    const rate = Math.round(median(rounds.map((results) => results[variant].rate)));
    const cost = Math.round(median(rounds.map((results) => results[variant].cost)));
    console.log(`${path} ${variant.padEnd(16)} ${rate.toString().padStart(7)} requests/s, ${cost} us of CPU each`);
  }
  const ratios = rounds.map(({ gateway, [BARE]: bare }) => gateway.rate / bare.rate);
  const ratio = median(ratios);
  const verdict = ratio >= MARK ? "reached" : "missed";
  const each = ratios.map((value) => value.toFixed(2)).join(" ");
  console.log(`${path} gateway / ${BARE}: ${ratio.toFixed(2)} (mark ${MARK}: ${verdict}; rounds ${each})`);
  const perCost = median(rounds.map(({ gateway, [BARE]: bare }) => bare.cost / gateway.cost));
  console.log(`${path} by CPU time:  ${perCost.toFixed(2)} (what other work on the machine hardly changes)`);
}
for (const { child } of [backend, ...proxies]) child.disconnect();
