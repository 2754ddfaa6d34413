// Halts of one operator while somebody else guesses passwords at full speed from another address, against halts in quiet, in
// the same run: node guessing.mjs [SECONDS]. The audit is durable, so a halt waits for the disk twice.
import { fork, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hashPassword } from "trading-admin-api/auth";
import { pin } from "./cores.mjs";

const SECONDS = Number(process.argv[2] ?? 60);
const QUIET_SECONDS = SECONDS / 2;
const HALT_EVERY_MS = 20;
const MARK = 2;
/** The attacker's is 127.0.0.1. */
const OPERATORS_ADDRESS = "127.0.0.2";
/** Users who log in for the first time, half of them while the attack is on. */
const NEWCOMERS = 20;

const agent = new Agent({ keepAlive: true, localAddress: OPERATORS_ADDRESS });

function passwordOf(user) {
  return `the password of ${user}`;
}

/** Sends one request and answers the milliseconds until its answer was complete. */
function send(url, user, method, path, body) {
  const authorization = `Basic ${Buffer.from(`${user}:${passwordOf(user)}`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/admin/v1${path}`, { agent, method, headers }, (reply) => {
      reply.resume();
      reply.once("end", () => {
        if (reply.statusCode === 200) resolve(performance.now() - begun);
        else reject(new Error(`${user}: ${method} ${path} was answered ${reply.statusCode}`));
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

const halt = (url) => send(url, "operator", "POST", "/trading/halt", '{"reason":"bench"}');
const read = (url, user) => send(url, user, "GET", "/trading/status", "");

async function haltsFor(url, seconds) {
  const times = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(HALT_EVERY_MS)) {
    times.push(await halt(url));
  }
  return times;
}

async function firstLogins(url, users, everyMs) {
  const times = [];
  for (const user of users) {
    times.push(await read(url, user));
    await pause(everyMs);
  }
  return times;
}

async function makeInstallation(folder, newcomers) {
  const users = await Promise.all(
    ["operator", ...newcomers].map(
      async (user) => `<user id="${user}"><password>${await hashPassword(passwordOf(user))}</password></user>`,
    ),
  );
  const rule = "<allow><principal>operator</principal><permission>HALT_RESUME_TRADING</permission></allow>";
  await writeFile(join(folder, "uac-file-security.xml"), `<config><users>${users.join("")}</users></config>`);
  await writeFile(join(folder, "uac-access-rules.xml"), `<rules>${rule}</rules>`);
  await writeFile(join(folder, "application.yaml"), "server.port: 0\nadmin.audit.file: audit.jsonl\n");
}

function startGateway(folder) {
  const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const arguments_ = [command, "serve", "--config", join(folder, "application.yaml")];
  const child = spawn(process.execPath, arguments_, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /^listening on (http:\S+)$/.exec(line)?.[1];
      if (url) resolve({ child, url });
    });
  });
}

function startAttack(url, seconds) {
  const child = fork(fileURLToPath(new URL("guessing-attack.mjs", import.meta.url)), [url, String(seconds)]);
  pin(child.pid, 1);
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the attack ended with ${code}`)));
  });
}

function quantile(times, q) {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))];
}

function describe(name, times) {
  const [p50, p99, most] = [0.5, 0.99, 1].map((q) => quantile(times, q).toFixed(1));
  console.log(`${name.padEnd(36)} ${String(times.length).padStart(5)}  p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`);
}

const newcomers = Array.from({ length: NEWCOMERS }, (_, index) => `newcomer${index}`);
const folder = await mkdtemp(join(tmpdir(), "trading-admin-bench-"));
await makeInstallation(folder, newcomers);
const gateway = await startGateway(folder);
try {
  const pinned = pin(gateway.child.pid, 0) && pin(process.pid, 1) ? "gateway on its own core" : "not pinned to cores";
  console.log(`Node ${process.versions.node}, ${pinned}; attack of ${SECONDS} s at full speed over 64 connections`);
  await haltsFor(gateway.url, 2);
  const before = await haltsFor(gateway.url, QUIET_SECONDS);
  const quietLogins = await firstLogins(gateway.url, newcomers.slice(0, NEWCOMERS / 2), 0);
  const attack = startAttack(gateway.url, SECONDS);
  const logins = firstLogins(gateway.url, newcomers.slice(NEWCOMERS / 2), (SECONDS * 1000) / NEWCOMERS);
  const attacked = await haltsFor(gateway.url, SECONDS);
  const attackedLogins = await logins;
  const { answers, statuses } = await attack;
  const after = await haltsFor(gateway.url, QUIET_SECONDS);
  const quiet = [...before, ...after];
  describe("halts in quiet", quiet);
  describe("halts under attack", attacked);
  describe("first logins in quiet", quietLogins);
  describe("first logins under attack", attackedLogins);
  console.log(`attack: ${answers} answers, ${JSON.stringify(statuses)}`);
  const ratio = quantile(attacked, 0.99) / quantile(quiet, 0.99);
  console.log(`p99 under attack / quiet: ${ratio.toFixed(2)} (mark ${MARK}: ${ratio <= MARK ? "reached" : "missed"})`);
} finally {
  gateway.child.removeAllListeners("exit").kill();
  agent.destroy();
  await rm(folder, { recursive: true });
}
