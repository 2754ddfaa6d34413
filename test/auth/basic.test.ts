import { describe, expect, test } from "vitest";
import { DirectoryAuthenticator } from "../../src/auth/basic.ts";
import type { KnownUser, UserDirectory } from "../../src/auth/names.ts";
import type { Permission } from "../../src/core/principal.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { basic } from "./access-files.ts";

interface Check {
  readonly name: string;
  readonly password: string;
  answer(user: KnownUser | undefined): void;
  fail(error: Error): void;
}

/** A directory whose checks end when the test says so. */
function heldDirectory(): UserDirectory & { readonly checks: Check[] } {
  const checks: Check[] = [];
  return {
    checks,
    verify: (name, password) =>
      new Promise((answer, fail) => {
        checks.push({ name, password, answer, fail });
      }),
  };
}

/** A directory that knows one user and counts how often it is asked. */
function countingDirectory(user: KnownUser, password: string): UserDirectory & { asked: number } {
  return {
    asked: 0,
    async verify(name, given) {
      this.asked += 1;
      return name.toLowerCase() === user.name.toLowerCase() && given === password ? user : undefined;
    },
  };
}

const alice: KnownUser = { name: "Alice", permissions: new Set<Permission>(["HALT_RESUME_TRADING"]) };
const accepted = { kind: "principal", isPasswordVerified: true, principal: { ...alice, authentication: "basic" } };
const challenge = { kind: "challenge", challenge: 'Basic realm="trading-admin", charset="UTF-8"' };
const header = basic("alice", "secret");
const minutes = 60_000;

describe("HTTP Basic over a directory", () => {
  test("D-AUTH 3: the principal has the name as the directory spells it", async () => {
    const authenticator = new DirectoryAuthenticator(countingDirectory(alice, "secret"), new ManualClock());
    expect(await authenticator.authenticate(basic("ALICE", "secret"))).toEqual(accepted);
  });

  test("D-UAC 12: an unknown user and a wrong password get the same challenge", async () => {
    const authenticator = new DirectoryAuthenticator(countingDirectory(alice, "secret"), new ManualClock());
    expect(await authenticator.authenticate(basic("alice", "wrong"))).toMatchObject(challenge);
    expect(await authenticator.authenticate(basic("mallory", "secret"))).toMatchObject(challenge);
  });

  test("D-HTTP 10: rejects while the directory is unreachable, and asks it again next time", async () => {
    const directory = heldDirectory();
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    const first = authenticator.authenticate(header);
    directory.checks[0]?.fail(new Error("directory is down"));
    await expect(first).rejects.toThrow("directory is down");
    const second = authenticator.authenticate(header);
    directory.checks[1]?.answer(alice);
    expect(await second).toEqual(accepted);
  });
});

describe("D-UAC 10: remembered credentials", () => {
  test("are accepted immediately, without a promise and without the directory, for five minutes", async () => {
    const clock = new ManualClock();
    const directory = countingDirectory(alice, "secret");
    const authenticator = new DirectoryAuthenticator(directory, clock);
    await authenticator.authenticate(header);
    clock.advance(5 * minutes - 1);
    expect(authenticator.authenticate(header)).toEqual(accepted);
    expect(directory.asked).toBe(1);
    clock.advance(2);
    const again = authenticator.authenticate(header);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toEqual(accepted);
    expect(directory.asked).toBe(2);
  });

  test("are not prolonged by use", async () => {
    const clock = new ManualClock(0);
    const directory = countingDirectory(alice, "secret");
    const authenticator = new DirectoryAuthenticator(directory, clock);
    for (let minute = 0; minute < 11; minute++) {
      await authenticator.authenticate(header);
      clock.advance(minutes);
    }
    expect(directory.asked).toBe(2);
  });

  test("leave no timer behind", async () => {
    const clock = new ManualClock();
    await new DirectoryAuthenticator(countingDirectory(alice, "secret"), clock).authenticate(header);
    expect(clock.pending).toBe(0);
  });

  test("wrong credentials are never remembered", async () => {
    const directory = countingDirectory(alice, "secret");
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    for (let i = 0; i < 3; i++)
      expect(await authenticator.authenticate(basic("alice", "wrong"))).toMatchObject(challenge);
    expect(directory.asked).toBe(3);
  });

  test("another header of the same user is checked for itself", async () => {
    const directory = countingDirectory(alice, "secret");
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    await authenticator.authenticate(header);
    expect(await authenticator.authenticate(basic("alice", "secret2"))).toMatchObject(challenge);
    expect(await authenticator.authenticate(basic("alic", "e:secret"))).toMatchObject(challenge);
    expect(directory.asked).toBe(3);
  });

  test("there are at most 10,000: the one unused for longest goes", async () => {
    const directory: UserDirectory = { verify: async (name) => ({ name, permissions: new Set() }) };
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    for (let i = 0; i <= 10_000; i++) await authenticator.authenticate(basic(`user${i}`, "x"));
    expect(authenticator.authenticate(basic("user0", "x"))).toBeInstanceOf(Promise);
    expect(authenticator.authenticate(basic("user2", "x"))).not.toBeInstanceOf(Promise);
  });
});

describe("a check that is in progress", () => {
  test("is shared by concurrent first requests with the same header", async () => {
    const directory = heldDirectory();
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    const flights = [1, 2, 3].map(() => authenticator.authenticate(header));
    expect(directory.checks).toHaveLength(1);
    directory.checks[0]?.answer(alice);
    expect(await Promise.all(flights)).toEqual([accepted, accepted, accepted]);
  });

  test("is shared for wrong credentials too, and the next request starts a new one", async () => {
    const directory = heldDirectory();
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    const flights = [authenticator.authenticate(header), authenticator.authenticate(header)];
    directory.checks[0]?.answer(undefined);
    expect(await Promise.all(flights)).toMatchObject([challenge, challenge]);
    void authenticator.authenticate(header);
    expect(directory.checks).toHaveLength(2);
  });

  test("is not waited for by other headers", async () => {
    const directory = heldDirectory();
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    void authenticator.authenticate(header);
    const other = authenticator.authenticate(basic("bob", "pw"));
    directory.checks[1]?.answer({ name: "bob", permissions: new Set() });
    expect(await other).toMatchObject({ principal: { name: "bob" } });
  });
});

describe("D-UAC 5: a replaced directory", () => {
  test("forgets what was remembered", async () => {
    const authenticator = new DirectoryAuthenticator(countingDirectory(alice, "secret"), new ManualClock());
    await authenticator.authenticate(header);
    authenticator.replaceDirectory(countingDirectory(alice, "changed"));
    expect(await authenticator.authenticate(header)).toMatchObject(challenge);
  });

  test("decides about a login that was in progress", async () => {
    const before = heldDirectory();
    const authenticator = new DirectoryAuthenticator(before, new ManualClock());
    const login = authenticator.authenticate(header);
    const after = countingDirectory({ ...alice, permissions: new Set() }, "secret");
    authenticator.replaceDirectory(after);
    before.checks[0]?.answer(alice);
    expect(await login).toMatchObject({ principal: { permissions: new Set() } });
    expect(authenticator.authenticate(header)).toMatchObject({ principal: { permissions: new Set() } });
  });

  test("refuses a login of a removed user that was in progress, and does not remember it", async () => {
    const before = heldDirectory();
    const authenticator = new DirectoryAuthenticator(before, new ManualClock());
    const login = authenticator.authenticate(header);
    authenticator.replaceDirectory(countingDirectory({ name: "bob", permissions: new Set() }, "pw"));
    before.checks[0]?.answer(alice);
    expect(await login).toMatchObject(challenge);
    expect(await authenticator.authenticate(header)).toMatchObject(challenge);
  });

  test("does not make a new request wait for a check under the old one", async () => {
    const authenticator = new DirectoryAuthenticator(heldDirectory(), new ManualClock());
    void authenticator.authenticate(header);
    authenticator.replaceDirectory(countingDirectory(alice, "secret"));
    expect(await authenticator.authenticate(header)).toEqual(accepted);
  });
});
