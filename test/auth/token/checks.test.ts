import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Authentication } from "../../../src/auth/authenticator.ts";
import { until } from "../../support/until.ts";
import { INVALID, type SigningKey, signingKey, TokenWorld } from "./tokens.ts";

const WAITING_OF_ORIGIN = 64;
const FLOOD = { address: "192.0.2.1" };

let key: SigningKey;

beforeAll(async () => {
  key = await signingKey("k1");
});

/** How many signatures are being checked, each until the test says so. */
class HeldChecks {
  running = 0;
  most = 0;
  readonly #held: (() => void)[] = [];

  constructor() {
    const verify = crypto.subtle.verify.bind(crypto.subtle);
    const spy = vi.spyOn(crypto.subtle, "verify").mockImplementation(async (...signed) => {
      this.running += 1;
      this.most = Math.max(this.most, this.running);
      await new Promise<void>((goOn) => this.#held.push(goOn));
      this.running -= 1;
      return verify(...signed);
    });
    onTestFinished(() => spy.mockRestore());
  }

  /** Lets the checks end that run now. */
  async finish(): Promise<void> {
    await until(() => this.running > 0, "a signature is checked");
    for (const goOn of this.#held.splice(0)) goOn();
  }
}

async function wrongToken(world: TokenWorld): Promise<string> {
  return `${(await world.token()).slice(0, -8)}AAAAAAAA`;
}

const kindOf = (authentication: Authentication): string => authentication.kind;

describe("D-AUTH 13: unknown tokens take turns for the check of their signature", () => {
  test("one is checked at a time, 64 of an address wait, and what is beyond is not checked", async () => {
    const checks = new HeldChecks();
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const token = await wrongToken(world);
    const found = Array.from({ length: WAITING_OF_ORIGIN + 6 }, () => authenticate(token, FLOOD));
    const beyond = await Promise.race(found);
    expect(beyond).toEqual({
      kind: "throttled",
      reason: "Too many tokens from this address wait to be checked; this one was not. Try again in a second",
      presented: { user: null, authentication: "bearer" },
    });
    for (let check = 0; check <= WAITING_OF_ORIGIN; check += 1) await checks.finish();
    const kinds = (await Promise.all(found)).map(kindOf);
    expect(kinds.filter((kind) => kind === "challenge")).toHaveLength(1 + WAITING_OF_ORIGIN);
    expect(kinds.filter((kind) => kind === "throttled")).toHaveLength(5);
    expect(checks.most).toBe(1);
    expect(await Promise.all([authenticate(await world.token(), FLOOD), checks.finish()])).toMatchObject([
      { kind: "principal" },
      undefined,
    ]);
  });

  test("a stop waits for none of its address that asks for something else, nor does another address", async () => {
    const checks = new HeldChecks();
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const token = await wrongToken(world);
    const flood = Array.from({ length: 1 + WAITING_OF_ORIGIN }, () => authenticate(token, FLOOD));
    await until(() => checks.running > 0, "a signature is checked");
    const stop = authenticate(await world.token({ claims: { sub: "bob" } }), { ...FLOOD, isStop: true });
    const elsewhere = authenticate(await world.token(), { address: "192.0.2.2" });
    let known = 0;
    for (const found of [stop, elsewhere]) {
      void found.then(() => {
        known += 1;
      });
    }
    // The running one, and one of each who waits.
    for (let check = 0; check < 4; check += 1) await checks.finish();
    await until(() => known === 2, "both are known");
    expect([await stop, await elsewhere]).toMatchObject([
      { principal: { name: "bob" } },
      { principal: { name: "alice" } },
    ]);
    for (let check = 4; check < 3 + WAITING_OF_ORIGIN; check += 1) await checks.finish();
    expect(new Set((await Promise.all(flood)).map(kindOf))).toEqual(new Set([kindOf(INVALID)]));
  });

  test("one whose key the provider is asked for holds up no other", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const asked = until(() => world.fetches === 2, "the provider is asked again");
    world.server.pages.set("/keys", () => {});
    world.clock.advance(30_000);
    const unknown = authenticate(await world.token({}, await signingKey("k2")));
    await asked;
    expect(await authenticate(await world.token())).toMatchObject({ kind: "principal" });
    await world.server.down();
    await expect(unknown).rejects.toMatchObject({ code: "IDENTITY_PROVIDER_UNAVAILABLE" });
  });
});
