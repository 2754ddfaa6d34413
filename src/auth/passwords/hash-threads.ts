import type { scryptSync } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { compareSync } from "bcrypt";

/** One slow comparison: arguments of `scryptSync` and the hash that they have to give, or those of bcrypt's `compareSync`. */
export type HashJob =
  | { readonly scrypt: Parameters<typeof scryptSync>; readonly expected: Buffer }
  | { readonly bcrypt: Parameters<typeof compareSync> };

/** A tenth of a core that the thread of the event loop would use up, which has priority 0. */
const PRIORITY = 10;

/**
 * What a thread does. It is text, so that it needs no separate file, which would be lost where a host is bundled into one; packages
 * are found from `workerData`. On Linux alone a priority is that of a thread; elsewhere it would be that of the whole process.
 */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { scryptSync, timingSafeEqual } = require("node:crypto");
const { createRequire } = require("node:module");
try {
  if (process.platform === "linux") require("node:os").setPriority(0, ${PRIORITY});
} catch {
  // A system that forbids it has slower stops under guesses, and logins all the same.
}
const matches = ({ scrypt, expected, bcrypt }) =>
  scrypt ? timingSafeEqual(scryptSync(...scrypt), expected) : createRequire(workerData)("bcrypt").compareSync(...bcrypt);
parentPort.on("message", (job) => {
  try {
    parentPort.postMessage({ matches: matches(job) });
  } catch (error) {
    parentPort.postMessage({ error });
  }
});
`;

const OPTIONS = { eval: true, execArgv: [], env: {}, workerData: import.meta.url };

/**
 * Threads for slow hashes, below the priority of the event loop: on the last free core, guesses of passwords would otherwise take half
 * of it from the stops (decision D-LOGIN 12). Each thread does one job at a time; the caller limits how many there are.
 */
export class HashThreads {
  readonly #idle: Worker[] = [];
  #isClosed = false;

  /** Whether the password of a job is right. Rejects if it cannot be computed. */
  async matches(job: HashJob): Promise<boolean> {
    const thread = this.#idle.pop() ?? new Worker(THREAD, OPTIONS);
    thread.postMessage(job);
    const [reply] = (await once(thread, "message")) as [{ readonly matches: boolean } | { readonly error: Error }];
    if (this.#isClosed) void thread.terminate();
    else this.#idle.push(thread);
    if ("error" in reply) throw reply.error;
    return reply.matches;
  }

  /** Ends the threads, busy ones after their job. */
  close(): void {
    this.#isClosed = true;
    for (const thread of this.#idle.splice(0)) void thread.terminate();
  }
}
