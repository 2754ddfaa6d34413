import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { type HashJob, HashThreads } from "../../src/auth/passwords/hash-threads.ts";

const RIGHT = jobFor("secret");
const WRONG = jobFor("guess");

/** Compares a password with the scrypt hash of `secret`. */
function jobFor(password: string): HashJob {
  const expected = Buffer.from("+AQW5Oh7tYWZSGzv9sKP4y1sqOPbCYkbzLtixirNGGA", "base64");
  return {
    scrypt: [password, Buffer.from("salt of the test"), 32, { N: 2 ** 12, r: 8, p: 1, maxmem: 2 ** 24 }],
    expected,
  };
}

function openThreads(): HashThreads {
  const threads = new HashThreads();
  onTestFinished(() => threads.close());
  return threads;
}

/** Nothing where the thread has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Threads of this process with the priority of hashes (proc_pid_stat(5): field 19, behind the name in brackets); those of others end in between. */
function lowThreads(): string[] {
  return readdirSync("/proc/self/task").filter((thread) => {
    const stat = textOf(`/proc/self/task/${thread}/stat`);
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]) === 10;
  });
}

/** Those that were not there before. */
function added(before: readonly string[]): string[] {
  return lowThreads().filter((thread) => !before.includes(thread));
}

describe("D-LOGIN 12: slow hashes are computed on threads of their own", () => {
  test("which compare one password each", async () => {
    const threads = openThreads();
    expect(await Promise.all([RIGHT, WRONG, RIGHT].map((job) => threads.matches(job)))).toEqual([true, false, true]);
  });

  test("and continue after a hash that cannot be computed", async () => {
    const threads = openThreads();
    const { scrypt, expected } = RIGHT as Extract<HashJob, { scrypt: unknown }>;
    const [password, salt, length, options] = scrypt;
    const tooLittle: HashJob = { scrypt: [password, salt, length, { ...options, maxmem: 1 }], expected };
    await expect(threads.matches(tooLittle)).rejects.toThrow("memory limit exceeded");
    expect(await threads.matches(RIGHT)).toBe(true);
  });

  test.runIf(process.platform === "linux")("below the priority of the event loop, which keeps its own", async () => {
    const [threads, others] = [openThreads(), lowThreads()];
    const before = getPriority();
    await Promise.all([threads.matches(RIGHT), threads.matches(WRONG)]);
    await threads.matches(RIGHT);
    expect(added(others)).toHaveLength(2);
    expect(getPriority()).toBe(before);
  });

  test.runIf(process.platform === "linux")("that end when they are closed, busy ones after their job", async () => {
    const [threads, others] = [openThreads(), lowThreads()];
    await threads.matches(RIGHT);
    const busy = threads.matches(RIGHT);
    threads.close();
    expect(await busy).toBe(true);
    await expect.poll(() => added(others)).toEqual([]);
  });
});
