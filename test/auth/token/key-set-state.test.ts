import { beforeAll, describe, expect, test } from "vitest";
import { openTokenAuthentication } from "../../../src/auth/token/token-authentication.ts";
import { type SigningKey, signingKey, TokenWorld } from "./tokens.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let key: SigningKey;

beforeAll(async () => {
  key = await signingKey("one");
});

describe("the age of the key set", () => {
  test("continues counting while the provider is unavailable, and starts again when it is back", async () => {
    const world = await TokenWorld.start(key);
    const log = { info() {}, warn() {}, error() {} };
    const options = { jwkSetUri: `${world.server.origin}/keys`, keyLifetimeMs: 2 * HOUR, log, clock: world.clock };
    const { keySet, close } = await openTokenAuthentication(options);
    try {
      const begin = world.clock.now();
      expect(keySet()).toEqual({ fetchedAt: begin, validUntil: begin + 2 * HOUR, stale: false });
      await world.server.down();
      world.clock.advance(5 * MINUTE);
      await expect.poll(() => keySet().stale).toBe(true);
      world.clock.advance(HOUR);
      expect(keySet()).toEqual({ fetchedAt: begin, validUntil: begin + 2 * HOUR, stale: true });
      await world.server.up();
      const later = (): boolean => {
        world.clock.advance(MINUTE);
        return keySet().stale;
      };
      await expect.poll(later).toBe(false);
      const { fetchedAt = 0, validUntil } = keySet();
      expect(fetchedAt).toBeGreaterThan(begin + HOUR);
      expect(validUntil).toBe(fetchedAt + 2 * HOUR);
    } finally {
      close();
    }
  });

  test("is undefined as long as the provider has given no keys", async () => {
    const world = await TokenWorld.start(key);
    await world.server.down();
    const log = { info() {}, warn() {}, error() {} };
    const options = { jwkSetUri: `${world.server.origin}/keys`, log, clock: world.clock };
    const { keySet, close } = await openTokenAuthentication(options);
    expect(keySet()).toEqual({ fetchedAt: undefined, validUntil: undefined, stale: true });
    close();
  });
});
