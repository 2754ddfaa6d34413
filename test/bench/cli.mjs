// From process start to the request on the wire: `trading-admin halt`, as a ratio to a Node that starts and does nothing. Rounds
// are interleaved, so that what disturbs the machine disturbs both alike; the median ratio counts.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const ROUNDS = 25;
const MARK = 2;

/** Milliseconds until a Node that has nothing to do has ended. */
async function nothing() {
  const started = performance.now();
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
  return performance.now() - started;
}

/** Milliseconds until the halt has arrived. */
async function halt(server, environment) {
  const arrived = new Promise((resolve) => {
    server.once("request", (request, response) => {
      const at = performance.now();
      request.resume().once("end", () => {
        response.end();
        resolve(at);
      });
    });
  });
  const started = performance.now();
  const child = spawn(process.execPath, [COMMAND, "halt", "--no-wait"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { PATH: process.env.PATH, ...environment },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const at = await Promise.race([arrived, ended.then((code) => Promise.reject(new Error(`it ended with ${code}`)))]);
  await ended;
  return at - started;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const server = createServer().listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const folder = mkdtempSync(join(tmpdir(), "trading-admin-bench-"));
const profiles = join(folder, "config.yaml");
const profile = { url, user: "operator", "password-file": "password" };
writeFileSync(join(folder, "password"), "not a secret\n");
writeFileSync(profiles, JSON.stringify({ current: "bench", profiles: { bench: profile } }), { mode: 0o600 });

const VARIANTS = {
  "from the environment": {
    HOME: folder,
    TRADING_ADMIN_URL: url,
    TRADING_ADMIN_USER: "operator",
    TRADING_ADMIN_PASSWORD: "not a secret",
  },
  "from a profile": { TRADING_ADMIN_CONFIG: profiles },
};

try {
  console.log(`Node ${process.versions.node}, ${ROUNDS} rounds, trading-admin halt until its request arrives`);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const empty = await nothing();
    const times = {};
    for (const [variant, environment] of Object.entries(VARIANTS)) times[variant] = await halt(server, environment);
    rounds.push({ empty, times });
  }
  console.log(`node -e ''            ${median(rounds.map(({ empty }) => empty)).toFixed(0)} ms`);
  for (const variant of Object.keys(VARIANTS)) {
    const time = median(rounds.map(({ times }) => times[variant]));
    const ratio = median(rounds.map(({ empty, times }) => times[variant] / empty));
    const verdict = ratio <= MARK ? "reached" : "missed";
    console.log(
      `${variant.padEnd(21)} ${time.toFixed(0)} ms, ratio ${ratio.toFixed(2)} (mark ${MARK.toFixed(1)}: ${verdict})`,
    );
  }
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
