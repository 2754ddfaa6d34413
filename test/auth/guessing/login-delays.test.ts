import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { type Login, LoginDelays } from "../../../src/auth/throttle/login-delays.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { cases } from "../../support/extent.ts";

const MAX_MS = 5_000;
const HERE = "192.0.2.1";
const ELSEWHERE = "198.51.100.1";

let clock: ManualClock;
let delays: LoginDelays;
let guesses = 0;

beforeEach(() => {
  clock = new ManualClock();
  delays = new LoginDelays(clock, MAX_MS);
});

/** A login with a password that nobody tried before. */
function guess(user: string, origin: string): Login {
  guesses += 1;
  return { user, origin, digest: `guess ${guesses}` };
}

function fail(times: number, user: string, origin: string): void {
  for (let i = 0; i < times; i++) delays.failed(guess(user, origin));
}

function delayOf(user: string, origin: string): number {
  return delays.of(guess(user, origin)).delayMs;
}

describe("failed logins are slowed per user and per address", () => {
  test("D-LOGIN 1: the first five of a user from an address cost nothing; then 100 ms, doubling each time, up to 5 s", () => {
    const seen = Array.from({ length: 15 }, () => {
      const delay = delayOf("alice", HERE);
      fail(1, "alice", HERE);
      return delay;
    });
    expect(seen).toEqual([0, 0, 0, 0, 0, 0, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  test("D-LOGIN 2: twenty guesses of many users from one address cost nothing, then each user waits up to half of that", () => {
    for (let i = 0; i < 20; i++) fail(1, `user${i}`, HERE);
    expect(delayOf("alice", HERE)).toBe(0);
    fail(1, "user20", HERE);
    expect(delayOf("alice", HERE)).toBe(100);
    for (let i = 0; i < 20; i++) fail(1, `another${i}`, HERE);
    expect(delayOf("alice", HERE)).toBe(MAX_MS / 2);
    expect(delays.of(guess("alice", HERE)).suspect).toBe(true);
  });

  test("D-LOGIN 2: the attacked user waits a twentieth at most elsewhere, so a stop stays possible", () => {
    for (let i = 0; i < 1_000; i++) fail(1, "alice", `203.0.113.${i}`);
    expect(delays.of(guess("alice", ELSEWHERE))).toEqual({ delayMs: MAX_MS / 20, suspect: false });
    expect(delayOf("bob", ELSEWHERE)).toBe(0);
  });

  test("a user who does not exist counts like one who does, so that they cannot be distinguished", () => {
    fail(8, "alice", HERE);
    fail(8, "nobody", ELSEWHERE);
    expect(delayOf("alice", HERE)).toBe(delayOf("nobody", ELSEWHERE));
  });

  test("property: no delay is negative or longer than the longest", () => {
    const someone = fc.record({ user: fc.constantFrom("a", "b"), origin: fc.constantFrom(HERE, ELSEWHERE) });
    const step = fc.record({ who: someone, right: fc.boolean(), repeated: fc.boolean(), ms: fc.nat(60_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const fresh = new LoginDelays(clock, MAX_MS);
        for (const { who, right, repeated, ms } of steps) {
          const login = repeated ? { ...who, digest: "again" } : guess(who.user, who.origin);
          if (right) fresh.succeeded(login);
          else fresh.failed(login);
          clock.advance(ms);
          const { delayMs } = fresh.of(login);
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeLessThanOrEqual(MAX_MS);
        }
      }),
    );
  });

  test("a longest delay of 0 slows nobody", () => {
    delays = new LoginDelays(clock, 0);
    fail(1_000, "alice", HERE);
    expect(delays.of(guess("alice", HERE))).toEqual({ delayMs: 0, suspect: false });
  });
});

describe("without locking a user out", () => {
  test("D-LOGIN 3: the delay halves in 30 s and ends within five minutes, however many failures there were", () => {
    fail(10_000, "alice", HERE);
    clock.advance(90_000);
    const before = delayOf("alice", HERE);
    clock.advance(30_000);
    expect(before / delayOf("alice", HERE)).toBeCloseTo(2);
    clock.advance(180_000);
    expect(delayOf("alice", HERE)).toBe(0);
  });

  test("D-LOGIN 4: a login that succeeds ends the delay of its user and address, and only that", () => {
    fail(30, "alice", HERE);
    delays.succeeded(guess("bob", HERE));
    expect(delayOf("alice", HERE)).toBe(MAX_MS);
    delays.succeeded(guess("alice", HERE));
    expect(delayOf("alice", HERE)).toBe(MAX_MS / 2);
  });

  test("D-LOGIN 6: the same wrong password again is not a guess: 200 ms for that user, nothing for others", () => {
    for (let i = 0; i < 1_000; i++) {
      delays.failed({ user: "script", origin: HERE, digest: "old password" });
      delays.failed({ user: "script", origin: HERE, digest: "older password" });
    }
    expect(delayOf("script", HERE)).toBe(200);
    expect(delayOf("script", ELSEWHERE)).toBe(0);
    expect(delayOf("alice", HERE)).toBe(0);
  });

  test("a clock that is set back forgets nothing and forgives nothing", () => {
    let setBackMs = 0;
    const moved: Clock = {
      now: () => clock.now() - setBackMs,
      monotonic: () => clock.monotonic(),
      schedule: (ms, task) => clock.schedule(ms, task),
    };
    delays = new LoginDelays(moved, MAX_MS);
    fail(8, "alice", HERE);
    setBackMs = 3_600_000;
    expect(delayOf("alice", HERE)).toBe(400);
  });
});

describe("D-LOGIN 9: login delays use bounded memory", () => {
  test("keeps at most the newest 10,000 of many addresses and users", () => {
    for (let i = 0; i < cases(1_000_000); i++) {
      delays.failed({ user: `user${i}`, origin: `2001:db8:${i >> 16}:${i & 0xffff}::/64`, digest: `${i}` });
    }
    expect(delays.size).toBe(40_000);
    fail(8, "alice", HERE);
    expect(delayOf("alice", HERE)).toBe(400);
  }, 120_000);
});
