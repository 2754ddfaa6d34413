import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Authentication } from "../../../src/auth/authenticator.ts";
import type { ManualClock } from "../../../src/testing/manual-clock.ts";
import { nextTurn } from "../../core/gate-world.ts";
import { until } from "../../support/until.ts";
import { INVALID, type SigningKey, signingKey, TokenWorld, withKeySets } from "./tokens.ts";

const WAITING_OF_ORIGIN = 64;
const FLOOD = { address: "192.0.2.1" };

let key: SigningKey;

beforeAll(async () => {
  key = await signingKey("k1");
});

/** Signatures that are being checked, each until the test lets it end. */
class HeldChecks {
  count = 0;
  running = 0;
  most = 0;
  readonly #held: (() => void)[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
    const verify = crypto.subtle.verify.bind(crypto.subtle);
    const spy = vi.spyOn(crypto.subtle, "verify").mockImplementation(async (...signed) => {
      this.count += 1;
      this.running += 1;
      this.most = Math.max(this.most, this.running);
      await new Promise<void>((proceed) => this.#held.push(proceed));
      this.running -= 1;
      return verify(...signed);
    });
    onTestFinished(() => spy.mockRestore());
  }

  endAll(): void {
    for (const proceed of this.#held.splice(0)) proceed();
  }

  /** Lets checks end until these responses are there. */
  async finishUntil(...responses: readonly Promise<unknown>[]): Promise<void> {
    let areThere = false;
    void Promise.allSettled(responses).then(() => {
      areThere = true;
    });
    await until(() => {
      this.#clock.advance(5);
      this.endAll();
      return areThere;
    }, "the responses are there");
  }

  /** Lets so many checks end, each when it has begun. */
  async finish(count: number): Promise<void> {
    for (let ended = 0; ended < count; ended += 1) {
      await until(() => {
        // After a wrong one there is a pause.
        this.#clock.advance(5);
        return this.#held.length > 0;
      }, "a signature is checked");
      this.endAll();
    }
  }
}

/** So many tokens, none like another and all with a wrong signature. */
function wrongTokens(world: TokenWorld, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      return `${(await world.token()).slice(0, -8)}${String(index).padEnd(8, "A")}`;
    }),
  );
}

/** The first answer, while the time passes for which refusals are held. */
async function firstOf(
  world: TokenWorld,
  found: readonly (Authentication | Promise<Authentication>)[],
): Promise<Authentication> {
  let first: Authentication | undefined;
  void Promise.race(found).then((answer) => {
    first = answer;
  });
  await until(() => {
    world.clock.advance(100);
    return first !== undefined;
  }, "one is answered");
  return first as unknown as Authentication;
}

const kindOf = (authentication: Authentication): string => authentication.kind;

describe("D-AUTH 13: unknown tokens take turns for the check of their signature", () => {
  test("one is checked at a time, 64 of an address wait, and what is beyond is refused after three seconds", async () => {
    const world = await TokenWorld.start(key);
    const checks = new HeldChecks(world.clock);
    const authenticate = await world.open();
    const tokens = await wrongTokens(world, 1 + WAITING_OF_ORIGIN + 5);
    const found = tokens.map((token) => authenticate(token, FLOOD));
    await until(() => checks.running === 1, "a signature is checked");
    world.clock.advance(2_999);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(await Promise.race([...found, "all are held"])).toBe("all are held");
    expect(await firstOf(world, found)).toEqual({
      kind: "throttled",
      reason: expect.stringContaining("was not accepted; it may be right"),
      presented: { user: null, authentication: "bearer" },
    });
    // One of those beyond has had its turn.
    await checks.finish(1 + WAITING_OF_ORIGIN + 1);
    const kinds = (await Promise.all(found)).map(kindOf);
    expect(kinds.filter((kind) => kind === "challenge")).toHaveLength(1 + WAITING_OF_ORIGIN);
    expect(kinds.filter((kind) => kind === "throttled")).toHaveLength(5);
    expect(checks.most).toBe(1);
    const [after] = await Promise.all([authenticate(await world.token(), FLOOD), checks.finish(1)]);
    expect(after).toMatchObject({ kind: "principal" });
  });

  test("and behind a wrong one there is a pause of 5 ms for those that wait", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const checks = new HeldChecks(world.clock);
    const found = (await wrongTokens(world, 2)).map((token) => authenticate(token, FLOOD));
    await until(() => checks.running === 1, "a signature is checked");
    checks.endAll();
    await found[0];
    world.clock.advance(4);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(checks.count).toBe(1);
    world.clock.advance(1);
    await until(() => checks.count === 2, "the next one is checked");
    checks.endAll();
    expect((await Promise.all(found)).map(kindOf)).toEqual(["challenge", "challenge"]);
  });

  test("128 of an address wait for the provider to tell their key, and what is beyond is refused", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const other = await signingKey("k2");
    let answer = (): void => {};
    world.server.pages.set("/keys", (_request, response) => {
      const keys = JSON.stringify({ keys: [key.jwk] });
      answer = () => void response.writeHead(200, { "content-type": "application/json" }).end(keys);
    });
    world.clock.advance(60_000);
    const tokens = await Promise.all(
      Array.from({ length: 140 }, (_, index) => world.token({ claims: { jti: `${index}` } }, other)),
    );
    const found = tokens.map((token) => authenticate(token, FLOOD));
    expect(kindOf(await firstOf(world, found))).toBe("throttled");
    const known = await authenticate(await world.token(), { address: "198.51.100.7" });
    expect(known).toMatchObject({ kind: "principal" });
    await until(() => world.fetches === 2, "the provider is asked");
    answer();
    const kinds = (await Promise.all(found)).map(kindOf);
    expect(kinds.filter((kind) => kind === "throttled")).toHaveLength(12);
    expect(kinds.filter((kind) => kind === "challenge")).toHaveLength(128);
  });

  test("a stop waits for none of its address that asks for something else, nor does another address", async () => {
    const world = await TokenWorld.start(key);
    const checks = new HeldChecks(world.clock);
    const authenticate = await world.open();
    const flood = (await wrongTokens(world, 1 + WAITING_OF_ORIGIN)).map((token) => authenticate(token, FLOOD));
    await until(() => checks.running > 0, "a signature is checked");
    const stop = authenticate(await world.token({ claims: { sub: "bob" } }), { ...FLOOD, isStop: true });
    const elsewhere = authenticate(await world.token(), { address: "192.0.2.2" });
    const [known] = await Promise.all([
      Promise.all([stop, elsewhere]),
      // The running one, and one of each who waits.
      checks.finish(4),
    ]);
    expect(known).toMatchObject([{ principal: { name: "bob" } }, { principal: { name: "alice" } }]);
    expect(checks.count).toBeLessThanOrEqual(5);
    await checks.finish(WAITING_OF_ORIGIN - 1);
    expect(new Set((await Promise.all(flood)).map(kindOf))).toEqual(new Set([kindOf(INVALID)]));
  });

  test("requests of an address with the same token share one check, and all are accepted", async () => {
    const world = await TokenWorld.start(key);
    const checks = new HeldChecks(world.clock);
    const authenticate = await world.open();
    const token = await world.token();
    const found = Array.from({ length: 100 }, () => authenticate(token, { ...FLOOD, isStop: true }));
    await checks.finish(1);
    expect(new Set((await Promise.all(found)).map(kindOf))).toEqual(new Set(["principal"]));
    expect(checks.count).toBe(1);
  });

  test("one whose key the provider is asked for holds up no other", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    world.server.pages.set("/keys", () => {});
    world.clock.advance(30_000);
    const unknown = authenticate(await world.token({}, await signingKey("k2")));
    await until(() => world.fetches === 2, "the provider is asked again");
    const known = authenticate(await world.token());
    expect(await Promise.race([known, unknown])).toMatchObject({ kind: "principal" });
    await world.server.down();
    await expect(unknown).rejects.toMatchObject({ code: "IDENTITY_PROVIDER_UNAVAILABLE" });
  });

  test("after a change of the keys, those that were right before go first and find a place", async () => {
    const world = await TokenWorld.start(key);
    const { clock } = world;
    const { authenticator, keys } = await withKeySets(clock, [key], [key, await signingKey("k2")]);
    const authenticate = async (token: string): Promise<Authentication> =>
      authenticator.authenticate(`Bearer ${token}`, FLOOD);
    const token = await world.token({ claims: { exp: Math.floor(clock.now() / 1000) + 3_600 } });
    expect(await authenticate(token)).toMatchObject({ kind: "principal" });
    const before = keys.keys;
    clock.advance(5 * 60_000);
    await until(() => keys.keys !== before, "the keys have changed");
    const checks = new HeldChecks(clock);
    const flood = (await wrongTokens(world, 1 + WAITING_OF_ORIGIN)).map(authenticate);
    await until(() => checks.running > 0, "a signature is checked");
    const [known] = await Promise.all([authenticate(token), checks.finish(2)]);
    expect(known).toMatchObject({ kind: "principal" });
    expect(checks.count).toBeLessThanOrEqual(3);
    await checks.finish(WAITING_OF_ORIGIN);
    await Promise.all(flood);
  });
});

describe("D-LOGIN 14: a user of whom a token was verified has a turn while others find no place", () => {
  /** So many wrong tokens that none finds a place any more, each for a user who does not exist. */
  async function flooded(world: TokenWorld, authenticate: Awaited<ReturnType<TokenWorld["open"]>>) {
    const checks = new HeldChecks(world.clock);
    const caller = { ...FLOOD, isStop: true };
    const found = Array.from({ length: 1 + WAITING_OF_ORIGIN + 20 }, async (_, index) => {
      const token = await world.token({ claims: { sub: `invented ${index}` } });
      return authenticate(`${token.slice(0, -8)}AAAAAAAA`, caller);
    });
    await until(() => checks.running === 1, "a signature is checked");
    return { checks, caller, found };
  }

  test("so that a renewed token is right for a stop from the address of a flood", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    await authenticate(await world.token({ claims: { jti: "old" } }));
    const { checks, caller, found } = await flooded(world, authenticate);
    const renewed = authenticate(await world.token({ claims: { jti: "renewed" } }), caller);
    const first = authenticate(await world.token({ claims: { sub: "nobody had a token" } }), caller);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    world.clock.advance(1_000);
    // The one in progress, and that of the turn.
    await checks.finish(2);
    expect(await Promise.race([renewed, first])).toMatchObject({ principal: { name: "alice" } });
    await checks.finishUntil(first, ...found);
    expect((await first).kind).toBe("throttled");
  });

  test("and not one whose caller has hung up, in place of one who waits", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    await authenticate(await world.token());
    await authenticate(await world.token({ claims: { sub: "bob" } }));
    const { checks, caller, found } = await flooded(world, authenticate);
    const [ofBob, ofAlice] = [
      await world.token({ claims: { sub: "bob", jti: "renewed" } }),
      await world.token({ claims: { jti: "renewed" } }),
    ];
    const gone = authenticate(ofBob, { ...caller, isDisconnected: true });
    const here = authenticate(ofAlice, caller);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    world.clock.advance(1_000);
    // The one in progress, and that of the turn.
    await checks.finish(2);
    expect(await here).toMatchObject({ principal: { name: "alice" } });
    expect((await gone).kind).toBe("throttled");
    await checks.finishUntil(...found);
  });

  test("and a wrong one in that user's name is refused as one in an invented name is: it is not said to be wrong", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    await authenticate(await world.token());
    const { checks, caller, found } = await flooded(world, authenticate);
    const wrong = authenticate(`${(await world.token()).slice(0, -8)}AAAAAAAA`, caller);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    world.clock.advance(1_000);
    await checks.finish(2);
    await nextTurn();
    expect(await Promise.race([wrong, "is held"])).toBe("is held");
    await checks.finishUntil(wrong, ...found);
    expect((await wrong).kind).toBe("throttled");
  });
});
