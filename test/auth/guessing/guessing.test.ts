import { beforeEach, describe, expect, test } from "vitest";
import type { Authentication, Caller } from "../../../src/auth/authenticator.ts";
import { DirectoryAuthenticator } from "../../../src/auth/basic.ts";
import type { UserDirectory } from "../../../src/auth/names.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { basic } from "../access-files.ts";

const HERE: Caller = { address: "192.0.2.1" };
const ELSEWHERE: Caller = { address: "198.51.100.1" };
const MINUTE = 60_000;

let clock: ManualClock;
let directory: RecordingDirectory;
let authenticator: DirectoryAuthenticator;
let guesses = 0;

/** Everybody's password is `right`; keeps what was asked, and ends checks when the test says so if it is held. */
class RecordingDirectory implements UserDirectory {
  readonly asked: string[] = [];
  readonly #held: (() => void)[] = [];
  isHeld = false;

  async verify(name: string, password: string) {
    this.asked.push(`${name}:${password}`);
    if (this.isHeld) await new Promise<void>((resolve) => this.#held.push(resolve));
    return password === "right" ? { name, permissions: new Set<never>() } : undefined;
  }

  endOne(): void {
    this.#held.shift()?.();
  }
}

beforeEach(() => {
  clock = new ManualClock();
  directory = new RecordingDirectory();
  authenticator = new DirectoryAuthenticator(directory, clock);
});

async function login(name: string, password: string, caller: Caller = HERE): Promise<Authentication["kind"]> {
  return (await authenticator.authenticate(basic(name, password), caller)).kind;
}

/** Wrong logins one after the other, each as soon as it may. */
async function fail(times: number, name: string, caller: Caller = HERE): Promise<void> {
  for (let i = 0; i < times; i++) {
    guesses += 1;
    const failing = login(name, `guess ${guesses}`, caller);
    clock.advance(10_000);
    expect(await failing).toBe("challenge");
  }
}

/** What has become of a login now, without time passing. */
async function now(pending: Promise<Authentication["kind"]>): Promise<Authentication["kind"] | "waits"> {
  const later = new Promise<"waits">((resolve) => setImmediate(() => setImmediate(() => resolve("waits"))));
  return Promise.race([pending, later]);
}

describe("D-LOGIN 13: all names of one user count as one", () => {
  test("in whatever spelling and length", async () => {
    const spellings = ["é".repeat(300), "É".repeat(300), "e\u0301".repeat(300), "E\u0301".repeat(300)];
    for (const name of spellings) await fail(5, name);
    for (const name of spellings) expect(await now(login(name, "right"))).toBe("waits");
    expect(await now(login("e".repeat(300), "right"))).toBe("principal");
  });

  test("the one that the directory has for them, too", async () => {
    const alice = { name: "alice", permissions: new Set<never>() };
    const known = (name: string) => (["alice", "cn=alice,dc=test"].includes(name) ? alice : undefined);
    const verify = directory.verify.bind(directory);
    authenticator.replaceDirectory({ verify, known });
    await fail(20, "cn=alice,dc=test");
    expect(await now(login("alice", "right"))).toBe("waits");
    expect(await now(login("bob", "right"))).toBe("principal");
  });
});

describe("D-LOGIN 1: guessing slows the next login of that user from that address, right or wrong", () => {
  test("and the check begins when the delay is over", async () => {
    await fail(20, "alice");
    const pending = login("alice", "right");
    directory.asked.length = 0;
    expect(await now(pending)).toBe("waits");
    clock.advance(4_999);
    expect(await now(pending)).toBe("waits");
    expect(directory.asked).toEqual([]);
    clock.advance(1);
    expect(await pending).toBe("principal");
  });

  test("until a right password ends the delay", async () => {
    await fail(20, "alice");
    const right = login("alice", "right");
    clock.advance(5_000);
    expect(await right).toBe("principal");
    expect(await now(login("alice", "mistyped"))).toBe("challenge");
  });

  test("and a name counts in any spelling, and an IPv6 network as one address", async () => {
    const of = (host: number): Caller => ({ address: `2001:db8::${host.toString(16)}` });
    for (let i = 0; i < 20; i++) await fail(1, i % 2 ? "ALICE" : "alice", of(i));
    expect(await now(login("Alice", "right", of(100)))).toBe("waits");
    clock.advance(5_000);
  });

  test("and a burst that came before the delay is slowed once its first logins have failed", async () => {
    const burst = Array.from({ length: 60 }, (_, index) => login("alice", `burst ${index}`));
    for (let i = 0; i < 100; i++) await new Promise(setImmediate);
    expect(directory.asked.length).toBeLessThan(10);
    clock.advance(10_000);
    await Promise.all(burst);
    expect(directory.asked.length).toBeLessThan(12);
  });

  test("and a directory that is unreachable is not a failure of the caller", async () => {
    authenticator.replaceDirectory({
      verify: async () => {
        throw new Error("the directory is unreachable");
      },
    });
    for (let i = 0; i < 50; i++) await expect(login("alice", `${i}`)).rejects.toThrow("unreachable");
    authenticator.replaceDirectory(directory);
    expect(await now(login("alice", "right"))).toBe("principal");
  });
});

describe("D-LOGIN 3: no one is locked out", () => {
  test("D-LOGIN 5: remembered credentials pass immediately, without a promise, from the slowed address too", async () => {
    await login("alice", "right");
    await fail(20, "alice");
    expect(authenticator.authenticate(basic("alice", "right"), HERE)).toMatchObject({ kind: "principal" });
  });

  test("D-LOGIN 5: credentials that were right are checked again after five minutes, and are not delayed", async () => {
    await login("alice", "right");
    clock.advance(6 * MINUTE);
    await fail(20, "alice");
    directory.asked.length = 0;
    expect(await now(login("alice", "right"))).toBe("principal");
    expect(directory.asked).toEqual(["alice:right"]);
  });

  test("D-LOGIN 5, D-UAC 5: nor are they after a reload; after a change of the password they count as wrong", async () => {
    await login("alice", "right");
    const changed: UserDirectory = { verify: async () => undefined };
    await fail(20, "alice");
    authenticator.replaceDirectory(changed);
    expect(await now(login("alice", "right"))).toBe("challenge");
    expect(await now(login("alice", "right"))).toBe("waits");
    clock.advance(5_000);
  });

  test("a stop stays possible from another address, where the attacked user waits 250 ms at most", async () => {
    for (let i = 0; i < 200; i++) await fail(1, "alice", { address: `203.0.113.${i}` });
    const pending = login("alice", "right", ELSEWHERE);
    clock.advance(250);
    expect(await now(pending)).toBe("principal");
  });

  test("and does not wait at all while only one address attacks, at whatever rate", async () => {
    const flood = Array.from({ length: 5_000 }, (_, index) => login("alice", `flood ${index}`));
    for (let i = 0; i < 100; i++) await new Promise(setImmediate);
    expect(await now(login("alice", "right", ELSEWHERE))).toBe("principal");
    clock.advance(10_000);
    await Promise.all(flood);
  });
});

describe("D-LOGIN 10: a login beyond the bounds is refused unchecked", () => {
  test("after three seconds, and later the more are waiting: a flood is refused slowly", async () => {
    await fail(20, "alice");
    const two = [login("alice", "a"), login("alice", "b")];
    let told = 0;
    const beyond = Array.from({ length: 2_000 }, async (_, index) => {
      expect(await login("alice", `beyond ${index}`)).toBe("throttled");
      told += 1;
    });
    const toldBy: number[] = [];
    for (const ms of [2_999, 1, 1_000, 6_000]) {
      clock.advance(ms);
      await now(Promise.all(beyond).then(() => "throttled" as const));
      toldBy.push(told);
    }
    expect(toldBy).toEqual([0, 1, 201, 2_000]);
    expect(await Promise.all(two)).toEqual(["challenge", "challenge"]);
    expect(clock.pending).toBe(0);
    const later = login("alice", "later");
    clock.advance(10_000);
    expect(await later).toBe("challenge");
  });

  test("immediately when 10,000 others wait for their refusal", async () => {
    await fail(20, "alice");
    const waiting = Array.from({ length: 10_002 }, (_, index) => login("alice", `waits ${index}`));
    expect(await now(Promise.race(waiting))).toBe("waits");
    expect(await now(login("alice", "yet another"))).toBe("throttled");
    clock.advance(10_000);
    await Promise.all(waiting);
    const later = [login("alice", "a"), login("alice", "b"), login("alice", "c")];
    expect(await now(Promise.race(later))).toBe("waits");
    clock.advance(10_000);
    await Promise.all(later);
  });

  test("with the name that was tried, for the record, and nothing of the password", async () => {
    await fail(20, "alice");
    void login("alice", "a");
    void login("alice", "b");
    const throttled = authenticator.authenticate(basic("Alice", "hush"), HERE);
    clock.advance(3_000);
    expect(await throttled).toEqual({
      kind: "throttled",
      reason: expect.stringContaining("were not accepted; they may be right"),
      presented: { user: "Alice", authentication: "basic" },
    });
    clock.advance(5_000);
  });

  test("unless the longest delay is 0, which slows nothing; checks still wait for their turn, 64 of an address", async () => {
    authenticator = new DirectoryAuthenticator(directory, clock, { maxDelayMs: 0 });
    for (let i = 0; i < 100; i++) expect(await now(login("alice", `${i}`))).toBe("challenge");
    directory.isHeld = true;
    const held = Array.from({ length: 66 }, (_, index) => login("alice", `held ${index}`));
    expect(await now(Promise.race(held))).toBe("waits");
    expect(await now(login("alice", "one too many"))).toBe("throttled");
    while ((await now(Promise.all(held).then(() => "challenge" as const))) === "waits") directory.endOne();
  });
});

describe("D-LOGIN 14: a user who exists has a turn while the address of their login is flooded", () => {
  const USERS = ["alice", "bob"];
  let flood: Promise<Authentication["kind"]>[];

  /** A directory that knows who exists, and an address at which no login finds a place any more. */
  beforeEach(async () => {
    const known = (name: string) => (USERS.includes(name) ? { name, permissions: new Set<never>() } : undefined);
    authenticator.replaceDirectory({ verify: (name, password) => directory.verify(name, password), known });
    for (let index = 0; index < 30; index += 1) await fail(1, `invented ${index}`);
    flood = Array.from({ length: 200 }, (_, index) => login(`ever new ${index}`, "wrong"));
    directory.asked.length = 0;
  });

  async function endFlood(): Promise<void> {
    for (let second = 0; second < 15; second += 1) {
      clock.advance(1_000);
      await now(new Promise<never>(() => {}));
    }
    expect(new Set(await Promise.all(flood))).toEqual(new Set(["challenge", "throttled"]));
  }

  test("so that a first login with the right password is accepted within a second", async () => {
    const first = login("alice", "right");
    clock.advance(1_000);
    expect(await now(first)).toBe("principal");
    // Hers, and the two that found a place.
    expect(directory.asked).toHaveLength(3);
    expect(authenticator.authenticate(basic("alice", "right"), HERE)).toMatchObject({ kind: "principal" });
    await endFlood();
  });

  test("so it is behind wrong logins from hundreds of networks, each of which waits for a check", async () => {
    directory.isHeld = true;
    const networks = Array.from({ length: 400 }, (_, index) =>
      login(`network ${index}`, "wrong", { address: `2001:db8:0:${index.toString(16)}::1` }),
    );
    const first = login("alice", "right", ELSEWHERE);
    // A check takes a second.
    for (let second = 0; second < 14; second += 1) {
      clock.advance(1_000);
      directory.endOne();
      directory.endOne();
      await now(first);
    }
    expect(await now(first)).toBe("principal");
    directory.isHeld = false;
    for (let end = 0; end < 10; end += 1) directory.endOne();
    await endFlood();
    expect(new Set(await Promise.all(networks))).toEqual(new Set(["challenge", "throttled"]));
  });

  test("so it is for the next user, when the first one is guessed with many passwords", async () => {
    const guessed = Array.from({ length: 100 }, (_, index) => login("alice", `guess ${index}`));
    clock.advance(1_000);
    await now(Promise.race(guessed));
    const first = login("bob", "right");
    clock.advance(1_000);
    expect(await now(first)).toBe("principal");
    await endFlood();
    expect(new Set(await Promise.all(guessed))).toEqual(new Set(["throttled"]));
  });

  test("a wrong password is refused as an invented name is, and does not count as a failure of the user", async () => {
    const answers = [login("alice", "wrong"), login("nobody", "wrong")];
    await endFlood();
    expect(await Promise.all(answers)).toEqual(["throttled", "throttled"]);
    expect(directory.asked).toContain("alice:wrong");
    for (let guess = 0; guess < 5; guess += 1)
      expect(await now(login("alice", `${guess}`, ELSEWHERE))).toBe("challenge");
    expect(await now(login("alice", "right", ELSEWHERE))).toBe("principal");
  });

  test("one who has hung up is not checked", async () => {
    const gone = login("alice", "right", { ...HERE, isDisconnected: true });
    await endFlood();
    expect(await gone).toBe("throttled");
    expect(directory.asked).not.toContain("alice:right");
  });
});

describe("requests that share a check", () => {
  test("are not held up by a slowed one with the same credentials from elsewhere, which ends with theirs", async () => {
    await fail(20, "alice");
    const slowed = login("alice", "right");
    expect(await now(login("alice", "right", ELSEWHERE))).toBe("principal");
    directory.asked.length = 0;
    clock.advance(5_000);
    expect(await slowed).toBe("principal");
    expect(directory.asked).toEqual([]);
  });

  test("are 1,000 at most", async () => {
    directory.isHeld = true;
    const shared = Array.from({ length: 1_000 }, () => login("alice", "right"));
    expect(await now(login("alice", "right"))).toBe("throttled");
    directory.endOne();
    expect(new Set(await Promise.all(shared))).toEqual(new Set(["principal"]));
    expect(directory.asked).toHaveLength(1);
  });

  test("D-LOGIN 11: end when all their callers have hung up", async () => {
    await fail(20, "alice");
    directory.asked.length = 0;
    const gone = login("alice", "right", { ...HERE, isDisconnected: true });
    clock.advance(5_000);
    await gone;
    expect(directory.asked).toEqual([]);
    const one = login("alice", "right", { ...HERE, isDisconnected: true });
    const other = login("alice", "right", HERE);
    clock.advance(5_000);
    expect(await Promise.all([one, other])).toEqual(["principal", "principal"]);
  });
});
