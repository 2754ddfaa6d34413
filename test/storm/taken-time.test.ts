import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { pin } from "../bench/cores.mjs";
import { TakenTime } from "./taken-time.ts";

/** A core that nothing else of the test is on. */
const CORE = 0;
const MS = 1_000;

const BUSY = "for (;;) {}";
const IDLE = "setInterval(() => {}, 1_000_000);";
/** Busy itself, and two more threads of its own. */
const BUSY_THREADS = `const { Worker } = require("node:worker_threads");
for (let count = 0; count < 2; count += 1) new Worker(${JSON.stringify(BUSY)}, { eval: true });
setTimeout(() => { ${BUSY} }, 200);`;

/** A program that never ends by itself, on the core. */
async function start(program: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  // Its threads are there, too.
  await pause(500);
  expect(pin(child.pid ?? 0, CORE)).toBe(true);
  return child;
}

function takenFrom({ pid = 0 }: ChildProcess): TakenTime {
  return new TakenTime(pid, undefined);
}

/** How long the main thread of a program has waited for a core, whoever was on it. */
function waitedMs({ pid = 0 }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
}

describe("D-TEST 2: time that the machine gave to others is reported", () => {
  it("if it went to other programs, most of it here", async () => {
    const gateway = await start(BUSY);
    for (let count = 0; count < 3; count += 1) await start(BUSY);
    const began = performance.now();
    const { takenMs } = await takenFrom(gateway).during(() => pause(MS));
    expect(takenMs / (performance.now() - began)).toBeGreaterThan(0.5);
  });

  it("but not if it went to other threads of the same program", async () => {
    const [program, idle] = [await start(BUSY_THREADS), await start(IDLE)];
    const began = performance.now();
    const before = waitedMs(program);
    // Both in the same while: what others take here is in both.
    const { result, takenMs } = await takenFrom(idle).during(() => takenFrom(program).during(() => pause(MS)));
    const ownMs = waitedMs(program) - before - (result.takenMs - takenMs);
    expect(ownMs / (performance.now() - began)).toBeGreaterThan(0.05);
  });
});
