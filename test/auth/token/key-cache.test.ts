import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Authentication } from "../../../src/auth/authenticator.ts";
import { garbageCollector } from "../../support/heap.ts";
import type { Page } from "./key-server.ts";
import { INVALID, type SigningKey, signingKey, TokenWorld } from "./tokens.ts";

let key: SigningKey;
let next: SigningKey;

beforeAll(async () => {
  [key, next] = await Promise.all([signingKey("one"), signingKey("two")]);
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ACCEPTED = { kind: "principal" };

/** A token for 30 days, so that only the keys can be too old. */
function longToken(world: TokenWorld, signer = key): Promise<string> {
  return world.token({ claims: { exp: Math.floor(world.clock.now() / 1000) + 30 * 86_400 } }, signer);
}

/** "500" when the authenticator rejects (D-HTTP 10). */
function outcome(answer: Promise<Authentication>): Promise<unknown> {
  return answer.catch(() => "500");
}

describe("D-AUTH 12: a provider that is unavailable", () => {
  test("for an hour costs nothing: a valid token still works, seen before or not, and the log says until when", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const seen = await longToken(world);
    expect(await authenticate(seen)).toMatchObject(ACCEPTED);
    await world.server.down();
    const end = new Date(world.clock.now() + 12 * HOUR).toISOString();
    world.clock.advance(HOUR);
    await expect.poll(() => world.log).toHaveLength(1);
    expect(await authenticate(seen)).toMatchObject(ACCEPTED);
    expect(await authenticate(await longToken(world))).toMatchObject(ACCEPTED);
    expect(world.log).toEqual([expect.stringMatching(/^http:.*\/keys: .+\. Keys known before stay valid until /)]);
    expect(world.log.join()).toContain(end);
  });

  test("for longer than the keys live has tokens refused with 500, logged once, until it is back", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open({ keyLifetimeMs: 2 * HOUR });
    const seen = await longToken(world);
    expect(await authenticate(seen)).toMatchObject(ACCEPTED);
    await world.server.down();
    world.clock.advance(2 * HOUR - 1);
    expect(await authenticate(seen)).toMatchObject(ACCEPTED);
    await expect.poll(() => world.log).toHaveLength(1);
    world.clock.advance(MINUTE);
    await expect.poll(() => world.log).toHaveLength(2);
    expect(await outcome(authenticate(seen))).toBe("500");
    expect(await outcome(authenticate(await longToken(world)))).toBe("500");
    expect(world.log[1]).toMatch(/ECONNREFUSED.*\. No valid keys are known, so tokens cannot be checked/);
    await world.server.up();
    world.clock.advance(MINUTE);
    await expect.poll(() => outcome(authenticate(seen))).toMatchObject(ACCEPTED);
    expect(world.log.slice(2)).toEqual(["The identity provider responds again, its keys are up to date"]);
  });

  test.each([
    ["immediately", 0],
    ["after a while", MINUTE],
  ])("D-HTTP 10: leaves a token with an unknown key undecided, %s", async (_when, waitMs) => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    await world.server.down();
    world.clock.advance(waitMs);
    const stranger = await longToken(world, next);
    const unchecked = {
      code: "IDENTITY_PROVIDER_UNAVAILABLE",
      status: 500,
      message: "The token cannot be checked, as the identity provider does not respond; it may be valid",
    };
    for (const _ of [1, 2, 3]) await expect(authenticate(stranger)).rejects.toMatchObject(unchecked);
    expect(world.log.slice(1)).toEqual([
      expect.stringMatching(/^A bearer token has a key that is not known\. .*not known: http:.*\/keys: /),
    ]);
  });

  test("at the start is not an error, and the first token after its return is accepted", async () => {
    const world = await TokenWorld.start(key);
    await world.server.down();
    const authenticate = await world.open();
    expect(world.log).toEqual([expect.stringContaining("No valid keys are known")]);
    const token = await world.token();
    expect(await outcome(authenticate(token))).toBe("500");
    await world.server.up();
    world.clock.advance(1000);
    expect(await authenticate(token)).toMatchObject(ACCEPTED);
  });

  test.each<[string, Page, string]>([
    ["status 500", (_, response) => response.writeHead(500).end(), "the response has status 500 instead of 200"],
    ["no JSON", (_, response) => response.end("<html>"), "the response is not JSON"],
    ["no key set", { issuer: "x" }, "the response is not a JWK set"],
    ["an empty key set", { keys: [] }, "the JWK set has no key that tokens can be checked with"],
    ["more than 512 KiB", { keys: [], padding: "x".repeat(512 * 1024) }, "the response is larger than 524288 bytes"],
  ])("may send a response that cannot be used, which changes nothing but the log: %s", async (_, page, reason) => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    world.server.pages.set("/keys", page);
    world.clock.advance(5 * MINUTE);
    await expect.poll(() => world.log).toEqual([expect.stringContaining(`/keys: ${reason}. Keys known before`)]);
    expect(await authenticate(await world.token())).toMatchObject(ACCEPTED);
  });

  test("may send no response, which is given up after five seconds, though garbage is collected meanwhile", async () => {
    const world = await TokenWorld.start(key);
    const collecting = setInterval(garbageCollector(), 50);
    onTestFinished(() => clearInterval(collecting));
    world.server.pages.set("/keys", (_, response) => void response.writeHead(200).write('{"keys": ['));
    const authenticate = await world.open();
    expect(world.log).toEqual([expect.stringContaining("no response in time")]);
    await expect(authenticate(await world.token())).rejects.toMatchObject({
      cause: { message: expect.stringContaining("no response in time") },
    });
  });
});

describe("D-AUTH 12: requests to the provider", () => {
  test("refresh keys early in the background, so that no request waits", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    world.publish(key, next);
    world.clock.advance(5 * MINUTE);
    await expect.poll(() => world.clock.pending).toBe(1);
    expect(world.fetches).toBe(2);
    expect(await authenticate(await world.token({}, next))).toMatchObject(ACCEPTED);
    expect(world.fetches).toBe(2);
  });

  test("that bring the same keys change nothing: what is wrong with one is not logged again", async () => {
    const world = await TokenWorld.start(key);
    world.server.pages.set("/keys", { keys: [key.jwk, { kty: "oct", k: "AAAA", kid: "shared" }] });
    await world.open();
    const line = 'Keys of the identity provider: the key "shared" is skipped: it is not a public key';
    expect(world.log).toEqual([line]);
    world.clock.advance(5 * MINUTE);
    await expect.poll(() => world.clock.pending).toBe(1);
    expect(world.fetches).toBe(2);
    expect(world.log).toEqual([line]);
  });

  test("follow an unknown kid once, so that all tokens with the rotated key are accepted", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    world.publish(next);
    const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);
    const tokens = await Promise.all(users.map((sub) => world.token({ claims: { sub } }, next)));
    const answers = await Promise.all([...tokens, ...tokens].map((token) => authenticate(token)));
    expect(answers).toEqual(
      [...users, ...users].map((name) => expect.objectContaining({ principal: expect.objectContaining({ name }) })),
    );
    expect(world.fetches).toBe(2);
  });

  test.each([
    ["an unknown kid once in 30 seconds", () => "unknown", 4],
    ["all unknown kids together once in five seconds", (step: number) => `unknown-${step}`, 24],
  ])("follow %s", async (_what, kidOf, fetches) => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    for (let step = 0; step < 120; step += 1) {
      expect(await authenticate(await world.token({ header: { kid: kidOf(step) } }))).toEqual(INVALID);
      world.clock.advance(1_000);
    }
    expect(world.fetches).toBe(1 + fetches);
  });

  test("follow a new kid soon, though invented ones came just before it and never end", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const invent = async (step: number): Promise<Authentication> =>
      authenticate(await world.token({ header: { kid: `invented-${step}` } }));
    await invent(0);
    world.publish(key, next);
    const token = await world.token({}, next);
    expect(await authenticate(token)).toEqual(INVALID);
    for (let second = 1; second <= 5; second += 1) {
      world.clock.advance(1_000);
      await invent(second);
    }
    expect(await authenticate(token)).toMatchObject(ACCEPTED);
  });

  test("are not used up by one that was in progress when the key was new: the next token with it is accepted", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    let release = (): void => {};
    world.server.pages.set("/keys", (_, response) => {
      release = () => response.end(JSON.stringify({ keys: [key.jwk] }));
    });
    world.clock.advance(5 * MINUTE);
    await expect.poll(() => world.fetches).toBe(2);
    const token = await world.token({}, next);
    const early = authenticate(token);
    world.publish(key, next);
    release();
    expect(await early).toEqual(INVALID);
    expect(await authenticate(token)).toMatchObject(ACCEPTED);
  });

  test("are at most one a second while no keys are known, however many callers need them", async () => {
    const world = await TokenWorld.start(key);
    world.server.pages.set("/keys", (_, response) => response.writeHead(500).end());
    const authenticate = await world.open();
    const token = await world.token();
    for (const fetches of [1, 2, 3]) {
      for (const _ of [1, 2, 3]) expect(await outcome(authenticate(token))).toBe("500");
      expect(world.fetches).toBe(fetches);
      world.clock.advance(1000);
    }
  });

  test("are shared by all callers while no keys are known", async () => {
    const world = await TokenWorld.start(key);
    await world.server.down();
    const authenticate = await world.open();
    await world.server.up();
    world.clock.advance(1000);
    const token = await world.token();
    const answers = await Promise.all(Array.from({ length: 20 }, () => authenticate(token)));
    for (const answer of answers) expect(answer).toMatchObject(ACCEPTED);
    expect(world.fetches).toBe(1);
  });
});

test("D-AUTH 12: a slow fetch is shared too", async () => {
  const world = await TokenWorld.start(key);
  await world.server.down();
  const authenticate = await world.open();
  await world.server.up();
  let release = (): void => {};
  world.server.pages.set("/keys", (_, response) => {
    release = () => response.end(JSON.stringify({ keys: [key.jwk] }));
  });
  const token = await world.token();
  const answers = [];
  for (let request = 0; request < 4; request += 1) {
    world.clock.advance(1500);
    answers.push(authenticate(token));
    await expect.poll(() => world.fetches).toBe(1);
  }
  release();
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject(ACCEPTED);
  expect(world.fetches).toBe(1);
});

test("D-AUTH 12: keys are refreshed after the machine's clock was set back, too", async () => {
  const world = await TokenWorld.start(key);
  let offset = 0;
  const clock = {
    now: () => world.clock.now() - offset,
    monotonic: () => world.clock.monotonic(),
    schedule: (delayMs: number, task: () => void) => world.clock.schedule(delayMs, task),
  };
  await world.open({ clock });
  offset = HOUR;
  world.clock.advance(5 * MINUTE);
  await expect.poll(() => world.fetches).toBe(2);
});

describe("redirects of a key set", () => {
  test("to the same host are followed", async () => {
    const world = await TokenWorld.start(key);
    world.server.pages.set("/moved", { keys: [key.jwk] });
    world.server.pages.set("/keys", (_, response) => response.writeHead(307, { location: "/moved" }).end());
    const authenticate = await world.open();
    expect(await authenticate(await world.token())).toMatchObject(ACCEPTED);
  });

  test("to another host are not followed", async () => {
    const [world, other] = await Promise.all([TokenWorld.start(key), TokenWorld.start(next)]);
    const location = `${other.server.origin}/keys`;
    world.server.pages.set("/keys", (_, response) => response.writeHead(302, { location }).end());
    const authenticate = await world.open();
    expect(await outcome(authenticate(await world.token({}, next)))).toBe("500");
    expect(world.log.join()).toContain(`a redirect to another host, ${other.server.origin}, is not followed`);
    expect(other.server.requests).toEqual([]);
  });

  test("in a circle end with an error", async () => {
    const world = await TokenWorld.start(key);
    world.server.pages.set("/keys", (_, response) => response.writeHead(302, { location: "/keys" }).end());
    await world.open();
    expect(world.log.join()).toContain("too many redirects");
    expect(world.fetches).toBe(4);
  });
});

test("close leaves no task behind and ends a fetch that is in progress", async () => {
  const world = await TokenWorld.start(key);
  let aborted = false;
  const { openTokenAuthentication } = await import("../../../src/auth/token/token-authentication.ts");
  const { close } = await openTokenAuthentication({
    issuerUri: world.server.origin,
    clock: world.clock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  world.server.pages.set("/keys", (_, response) => {
    response.on("close", () => {
      aborted = true;
    });
  });
  world.clock.advance(5 * MINUTE);
  await expect.poll(() => world.fetches).toBe(2);
  close();
  await expect.poll(() => aborted).toBe(true);
  expect(world.clock.pending).toBe(0);
});
