import { beforeEach, describe, expect, test } from "vitest";
import type { Authentication } from "../../../src/auth/authenticator.ts";
import { HeldLogins } from "../../../src/auth/throttle/held-logins.ts";
import { principal } from "../../../src/core/principal.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const PAUSE_MS = 5_000;
const THROTTLED: Authentication = {
  kind: "throttled",
  reason: "too many",
  presented: { user: null, authentication: "basic" },
};
const RIGHT: Authentication = { kind: "principal", principal: principal("alice", []) };

let clock: ManualClock;
let logins: HeldLogins;
/** Whose credentials were checked, and what each login came to, with the milliseconds that had passed. */
let checked: string[];
let log: string[];

beforeEach(() => {
  clock = new ManualClock();
  logins = new HeldLogins(clock, PAUSE_MS);
  [checked, log] = [[], []];
});

interface Kind {
  readonly exists?: boolean;
  readonly finds?: () => Authentication;
  readonly callers?: { areGone: boolean };
}

function hold(user: string, kind: Kind = {}): void {
  const { exists = false, finds = () => THROTTLED, callers = { areGone: false } } = kind;
  const check = async (): Promise<Authentication> => {
    checked.push(user);
    return finds();
  };
  const held = logins.hold(THROTTLED, { user, exists, callers, check });
  void Promise.resolve(held).then(({ kind }) => log.push(`${user} ${kind} ${clock.monotonic()}`));
}

/** Lets time pass in steps, and what happens in each of them come to an end. */
async function pass(ms: number, step = 500): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    clock.advance(step);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

const USER: Kind = { exists: true };

describe("D-LOGIN 14: of the logins that found no place, one is checked each second", () => {
  test("that of a user who exists, whatever number of invented names came before it", async () => {
    for (let index = 0; index < 300; index += 1) hold(`invented ${index}`);
    hold("alice", { exists: true, finds: () => RIGHT });
    await pass(1_000);
    expect(log).toEqual(["alice principal 1000"]);
  });

  test("users take turns: who is guessed again and again keeps no other user out", async () => {
    for (let index = 0; index < 50; index += 1) hold("guessed", USER);
    await pass(1_000);
    for (let index = 0; index < 50; index += 1) hold("guessed", USER);
    hold("bob", { exists: true, finds: () => RIGHT });
    await pass(1_000);
    expect(checked).toEqual(["guessed", "bob"]);
    expect(log).toEqual(["bob principal 2000"]);
  });

  test("the one whose last turn was the longest ago", async () => {
    for (const user of ["a", "b", "c"]) hold(user, USER);
    await pass(3_000);
    await pass(4_000);
    for (const user of ["c", "b", "a", "d"]) hold(user, USER);
    await pass(4_000);
    expect(checked).toEqual(["a", "b", "c", "d", "a", "b"]);
  });

  test("a name once in five seconds, so no password is guessed faster", async () => {
    for (let second = 0; second < 20; second += 1) {
      for (let index = 0; index < 5; index += 1) hold("guessed", USER);
      await pass(1_000);
    }
    expect(checked).toHaveLength(4);
  });
});

describe("D-LOGIN 14: who exists does not show", () => {
  /** When a login is refused, and how often it or another one was checked. */
  async function tried(kind: Kind): Promise<readonly string[]> {
    for (let second = 0; second < 12; second += 1) {
      for (let index = 0; index < 20; index += 1) hold("tried", kind);
      await pass(1_000);
    }
    await pass(10_000);
    return [...checked, ...log];
  }

  test("wrong credentials are refused when they would have been without a turn, and cost what an invented name does", async () => {
    const ofUser = await tried(USER);
    [clock, checked, log] = [new ManualClock(), [], []];
    logins = new HeldLogins(clock, PAUSE_MS);
    expect(await tried({ exists: false })).toEqual(ofUser);
    expect(ofUser.filter((entry) => entry === "tried")).toHaveLength(3);
    expect(ofUser.at(3)).toBe("tried throttled 3000");
  });

  test("a turn that no user wants is that of an invented name", async () => {
    hold("alice", USER);
    for (let index = 0; index < 10; index += 1) hold(`invented ${index}`);
    await pass(2_000);
    expect(checked).toEqual(["alice", "invented 0"]);
  });

  test("what cannot be checked is refused like the others, and turns continue", async () => {
    const finds = (): never => {
      throw new Error("the directory is unreachable");
    };
    hold("alice", { exists: true, finds });
    hold("bob", { exists: true, finds: () => RIGHT });
    await pass(3_500);
    expect(log).toEqual(["bob principal 2000", "alice throttled 3000"]);
  });
});

describe("D-LOGIN 14: who has hung up is no longer held", () => {
  const gone: Kind = { exists: true, callers: { areGone: true } };

  test("and takes no turn of those who wait", async () => {
    for (let index = 0; index < 20; index += 1) hold(`gone ${index}`, gone);
    hold("alice", { exists: true, finds: () => RIGHT });
    await pass(1_000);
    expect(checked).toEqual(["alice"]);
    expect(log.at(-1)).toBe("alice principal 1000");
  });

  test("nor their room: 10,000 who have gone do not keep a user from waiting for a turn", async () => {
    for (let index = 0; index < 10_000; index += 1) hold(`gone ${index}`, gone);
    await pass(1_000);
    hold("alice", { exists: true, finds: () => RIGHT });
    await pass(1_000);
    expect(log.at(-1)).toBe("alice principal 2000");
  });
});

test("nothing is left behind once nobody is held", async () => {
  for (let index = 0; index < 10; index += 1) hold(`invented ${index}`);
  await pass(5_000);
  expect(log).toHaveLength(10);
  expect(clock.pending).toBe(0);
});
