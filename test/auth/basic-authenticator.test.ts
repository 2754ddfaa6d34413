import { describe, expect, it } from "vitest";
import { type BasicAuthenticator, basicAuthenticator } from "../../src/auth/basic-authenticator.ts";
import { type Permission, principal, stillHas } from "../../src/core/principal.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const FIVE_MINUTES = 300_000;

function header(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** A host's directory that counts how often it is asked. */
function hostWith(accounts: Map<string, string>) {
  const host = {
    asked: 0,
    verify: async (user: string, password: string) => {
      host.asked += 1;
      return accounts.get(user) === password ? principal(user, ["HALT_RESUME_TRADING"]) : undefined;
    },
  };
  return host;
}

describe("a host's own users over HTTP Basic", () => {
  it("verify makes the principal, who is authenticated by `basic`", async () => {
    const { verify } = hostWith(new Map([["alice", "secret"]]));
    const found = await basicAuthenticator({ realm: "monitor", verify }).authenticate(header("alice", "secret"));
    expect(found).toMatchObject({ kind: "principal", principal: { name: "alice", authentication: "basic" } });
  });

  it("the challenge names the realm, quoted as RFC 7617 says", async () => {
    const authenticator = basicAuthenticator({ realm: 'the "desk"', verify: () => undefined });
    const challenge = 'Basic realm="the \\"desk\\"", charset="UTF-8"';
    expect(await authenticator.authenticate(undefined)).toEqual({ kind: "challenge", challenge });
    expect(await authenticator.authenticate(header("alice", "wrong"))).toEqual({
      kind: "challenge",
      challenge,
      presented: { user: "alice", authentication: "basic" },
    });
    expect(() => basicAuthenticator({ realm: "a\nb", verify: () => undefined })).toThrow(TypeError);
  });

  it("remembers what was right for five minutes, and never what was wrong", async () => {
    const clock = new ManualClock();
    const host = hostWith(new Map([["alice", "secret"]]));
    const authenticator = basicAuthenticator({ realm: "monitor", clock, verify: host.verify });
    await authenticator.authenticate(header("alice", "secret"));
    expect(authenticator.authenticate(header("alice", "secret"))).not.toBeInstanceOf(Promise);
    expect(host.asked).toBe(1);
    clock.advance(FIVE_MINUTES + 1);
    await authenticator.authenticate(header("alice", "secret"));
    expect(host.asked).toBe(2);
    for (let tries = 0; tries < 2; tries += 1) await authenticator.authenticate(header("alice", "wrong"));
    expect(host.asked).toBe(4);
  });

  it("forget has a removed user lose access immediately", async () => {
    const accounts = new Map([["alice", "secret"]]);
    const authenticator = basicAuthenticator({ realm: "monitor", verify: hostWith(accounts).verify });
    await authenticator.authenticate(header("alice", "secret"));
    accounts.delete("alice");
    authenticator.forget();
    expect(await authenticator.authenticate(header("alice", "secret"))).toMatchObject({ kind: "challenge" });
  });

  it("D-UAC 17: a host that says what its users may do now is asked again, remembered credentials or not", async () => {
    let now: ReadonlySet<Permission> | undefined = new Set<Permission>(["HALT_RESUME_TRADING"]);
    const alice = { ...principal("alice", ["HALT_RESUME_TRADING"]), permissionsNow: () => now };
    const authenticator = basicAuthenticator({ realm: "monitor", verify: () => alice });
    await authenticator.authenticate(header("alice", "secret"));
    const remembered = await authenticator.authenticate(header("alice", "secret"));
    if (remembered.kind !== "principal") throw new Error(remembered.kind);
    expect(stillHas(remembered.principal, "HALT_RESUME_TRADING")).toBe(true);
    now = undefined;
    expect(stillHas(remembered.principal, "HALT_RESUME_TRADING")).toBe(false);
    now = new Set(["HALT_RESUME_TRADING"]);
    authenticator.forget();
    expect(stillHas(remembered.principal, "HALT_RESUME_TRADING")).toBe(false);
  });

  it("slows guessing: after five failures the next one waits for the clock", async () => {
    const clock = new ManualClock();
    const host = hostWith(new Map());
    const authenticator = basicAuthenticator({ realm: "monitor", clock, verify: host.verify });
    const guess = (password: string) => authenticator.authenticate(header("alice", password), { address: "192.0.2.7" });
    for (let tries = 0; tries < 6; tries += 1) await guess(`guess ${tries}`);
    const slowed = guess("guess 7");
    expect(host.asked).toBe(6);
    clock.advance(5_000);
    await slowed;
    expect(host.asked).toBe(7);
  });

  it("a directory that fails, or returns what is not a principal, is a failure and no refusal", async () => {
    const failing = basicAuthenticator({ realm: "monitor", verify: () => Promise.reject(new Error("down")) });
    await expect(failing.authenticate(header("alice", "secret"))).rejects.toThrow("down");
    const sloppy = basicAuthenticator({ realm: "monitor", verify: () => true as never });
    await expect(sloppy.authenticate(header("alice", "secret"))).rejects.toThrow("verify has to return a principal");
  });
});

describe("D-LOGIN 14: a host's user who exists has a turn while the address of their login is flooded", () => {
  const HERE = { address: "192.0.2.7" };
  const accounts = new Map([["alice", "secret"]]);

  type Options = Partial<Parameters<typeof basicAuthenticator>[0]>;

  /** An address at which no login finds a place any more, as invented names wait for their delays. */
  async function flooded(options: Options, before: (authenticator: BasicAuthenticator) => unknown = () => {}) {
    const clock = new ManualClock();
    const authenticator = basicAuthenticator({
      realm: "monitor",
      clock,
      verify: hostWith(accounts).verify,
      ...options,
    });
    await before(authenticator);
    const guess = (index: number) => authenticator.authenticate(header(`invented ${index}`, "wrong"), HERE);
    for (let index = 0; index < 30; index += 1) {
      const failing = guess(index);
      clock.advance(5_000);
      await failing;
    }
    for (let index = 100; index < 200; index += 1) void guess(index);
    return { authenticator, clock };
  }

  /** What a login comes to in the time for which it is held, and its turns. */
  async function loginIn({ authenticator, clock }: Awaited<ReturnType<typeof flooded>>): Promise<string> {
    const login = Promise.resolve(authenticator.authenticate(header("alice", "secret"), HERE));
    for (let second = 0; second < 6; second += 1) {
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1_000);
    }
    return (await login).kind;
  }

  it("by what the host knows of names", async () => {
    expect(await loginIn(await flooded({ known: (name) => accounts.has(name) }))).toBe("principal");
  });

  it.each([
    ["a promise", () => Promise.resolve(true)],
    ["a user", () => ({ name: "alice" })],
  ])("which fails at the first login where it returns %s, not in a flood", async (_, known) => {
    const { verify } = hostWith(accounts);
    const authenticator = basicAuthenticator({ realm: "monitor", verify, known: known as never });
    const login = async () => authenticator.authenticate(header("alice", "secret"), HERE);
    await expect(login()).rejects.toThrow("known has to return true or false");
  });

  it("and otherwise by whom it has accepted since the start, with whatever password", async () => {
    const passwords = ["first", "secret"];
    const verify = (name: string, password: string) =>
      name === "alice" && passwords.includes(password) ? principal(name, []) : undefined;
    const loggedInBefore = async (authenticator: BasicAuthenticator) => {
      await authenticator.authenticate(header("alice", "first"), HERE);
      authenticator.forget();
    };
    expect(await loginIn(await flooded({ verify }, loggedInBefore))).toBe("principal");
    expect(await loginIn(await flooded({ verify }))).toBe("throttled");
  });
});
