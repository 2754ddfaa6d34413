import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { pin } from "../bench/cores.mjs";
import { TakenTime } from "./taken-time.ts";

/** A core that nothing else of the test is on. */
const CORE = 0;
const MS = 1_000;

const BUSY = "for (;;) {}";
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

/** The part of a while that is told to be taken from a program. */
async function partTakenFrom({ pid = 0 }: ChildProcess): Promise<number> {
  const machine = new TakenTime(pid, undefined);
  const began = performance.now();
  const { takenMs } = await machine.during(() => pause(MS));
  return takenMs / (performance.now() - began);
}

describe("D-TEST 2: time that the machine gave to others is told", () => {
  it("if it went to other programs, most of it here", async () => {
    const gateway = await start(BUSY);
    for (let count = 0; count < 3; count += 1) await start(BUSY);
    expect(await partTakenFrom(gateway)).toBeGreaterThan(0.5);
  });

  it("but not if it went to other threads of the same program", async () => {
    const threads = await partTakenFrom(await start(BUSY_THREADS));
    const programs = await partTakenFrom(await start(BUSY));
    expect(programs - threads).toBeGreaterThan(0.1);
  });
});
