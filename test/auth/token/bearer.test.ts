import { beforeAll, describe, expect, test } from "vitest";
import { RememberedTokens } from "../../../src/auth/token/bearer.ts";
import { readKeySet } from "../../../src/auth/token/key-set.ts";
import { openTokenAuthentication } from "../../../src/auth/token/token-authentication.ts";
import { type Principal, stillHas } from "../../../src/core/principal.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { INVALID, MISSING, type SigningKey, signingKey, TokenWorld, withKeySets } from "./tokens.ts";

let key: SigningKey;
let other: SigningKey;

beforeAll(async () => {
  [key, other] = await Promise.all([signingKey("one"), signingKey("two")]);
});

describe("Authentication 2, 4: a bearer token of the provider", () => {
  test("D-AUTH 2, D-AUTH 3: name, permissions, token id, client id and expiry come from the token", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const exp = world.clock.now() / 1_000 + 60.25;
    const claims = { authorities: ["HALT_RESUME_TRADING", "trader"], jti: "t-1", client_id: "bot", exp };
    expect(await authenticate(await world.token({ claims }))).toEqual({
      kind: "principal",
      principal: {
        name: "alice",
        permissions: new Set(["HALT_RESUME_TRADING"]),
        authentication: "bearer",
        tokenExpires: world.clock.now() + 60_250,
        tokenId: "t-1",
        clientId: "bot",
      },
    });
  });

  test("azp stands in for client_id, and neither is required", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const tokenExpires = expect.any(Number);
    const principal = { name: "alice", permissions: new Set(), authentication: "bearer", tokenExpires };
    const named = { kind: "principal", principal: { ...principal, clientId: "ui" } };
    expect(await authenticate(await world.token({ claims: { azp: "ui", jti: 5 } }))).toEqual(named);
    expect(await authenticate(await world.token())).toEqual({ kind: "principal", principal });
  });

  test("D-UAC 17: a token counts for the whole of its request, and of one that waits for a second person, also when it expires", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const exp = world.clock.now() / 1_000 + 60;
    const found = await authenticate(await world.token({ claims: { authorities: ["HALT_RESUME_TRADING"], exp } }));
    const { principal } = found as { principal: Principal };
    expect(stillHas(principal, "HALT_RESUME_TRADING")).toBe(true);
    world.clock.advance(60_000 + 24 * 60 * 60_000);
    expect(stillHas(principal, "HALT_RESUME_TRADING")).toBe(true);
  });

  test("D-AUTH 3: another claim may hold the name; a token without it is refused", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open({ principalClaim: "preferred_username" });
    const named = await authenticate(await world.token({ claims: { preferred_username: "Alice B." } }));
    expect(named).toMatchObject({ principal: { name: "Alice B." } });
    for (const preferred_username of [undefined, "", "  ", 7, ["alice"]]) {
      expect(await authenticate(await world.token({ claims: { preferred_username } }))).toEqual(INVALID);
    }
  });

  test.each([["JWT"], ["jwt"], ["at+jwt"], ["application/at+jwt"], [undefined]])(
    "is accepted with the type %s",
    async (typ) => {
      const world = await TokenWorld.start(key);
      const authenticate = await world.open();
      expect(await authenticate(await world.token({ header: { typ } }))).toMatchObject({ kind: "principal" });
    },
  );

  test.each(["RS512", "PS256", "ES256", "ES384", "EdDSA"])(
    "is accepted with an algorithm of jws-algorithms: %s",
    async (algorithm) => {
      const world = await TokenWorld.start(await signingKey("k", algorithm));
      const allowed = await world.open({ algorithms: ["RS256", algorithm] });
      expect(await allowed(await world.token())).toMatchObject({ kind: "principal" });
      const standard = await world.open();
      expect(await standard(await world.token())).toEqual(INVALID);
    },
  );

  test("chooses among several keys without key ids by the algorithm", async () => {
    const [rsa, ec] = await Promise.all([signingKey(undefined), signingKey(undefined, "ES256")]);
    const world = await TokenWorld.start(rsa);
    world.publish(rsa, ec);
    const authenticate = await world.open({ algorithms: ["RS256", "ES256"] });
    for (const signer of [rsa, ec]) {
      expect(await authenticate(await world.token({}, signer))).toMatchObject({ kind: "principal" });
    }
  });
});

describe("D-HTTP 11, D-AUTH 4: the challenges for requests without a valid token", () => {
  test.each([
    [undefined, MISSING],
    ["", MISSING],
    ["Basic YWxpY2U6c2VjcmV0", MISSING],
    ["Bearerx abc", MISSING],
    ["Bearer", MISSING],
    ["bearer  ", MISSING],
    ["Bearer abc, Bearer def", INVALID],
    ["Bearer abc def", INVALID],
    ["Bearer abc,def", INVALID],
    ['Bearer token="abc"', INVALID],
    ["Bearer é.é.é", INVALID],
    ["Bearer abc", INVALID],
    ["BEARER a.b.c", INVALID],
  ])("are those of the table: %j", async (authorization, expected) => {
    const world = await TokenWorld.start(key);
    const { authenticator, close } = await openTokenAuthentication({
      jwkSetUri: `${world.server.origin}/keys`,
      clock: world.clock,
      log: { info: () => {}, warn: () => {}, error: () => {} },
    });
    expect(await authenticator.authenticate(authorization)).toEqual(expected);
    close();
  });
});

describe("a verified token is remembered by digest", () => {
  test("and then accepted immediately, until it expires", async () => {
    const world = await TokenWorld.start(key);
    const { authenticator, close } = await openTokenAuthentication({
      issuerUri: world.server.origin,
      clock: world.clock,
      log: { info: () => {}, warn: () => {}, error: () => {} },
    });
    const header = `Bearer ${await world.token()}`;
    expect(authenticator.authenticate(header)).toBeInstanceOf(Promise);
    await expect.poll(() => authenticator.authenticate(header) instanceof Promise).toBe(false);
    world.clock.advance(359_999);
    expect(authenticator.authenticate(header)).toMatchObject({ kind: "principal" });
    world.clock.advance(1);
    expect(await authenticator.authenticate(header)).toEqual(INVALID);
    close();
  });

  test("but not when the provider has withdrawn its key", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const token = await world.token({ claims: { exp: Math.floor(world.clock.now() / 1000) + 3600 } });
    expect(await authenticate(token)).toMatchObject({ kind: "principal" });
    world.publish(other);
    world.clock.advance(5 * 60_000);
    await expect.poll(() => authenticate(token)).toEqual(INVALID);
  });

  test("nor when that happens while it is being verified", async () => {
    const clock = new ManualClock();
    const world = await TokenWorld.start(key);
    const { authenticator, keys } = await withKeySets(clock, [key], [other], [other]);
    const header = `Bearer ${await world.token({ claims: { exp: Math.floor(clock.now() / 1000) + 3600 } })}`;
    const first = authenticator.authenticate(header);
    const before = keys.keys;
    clock.advance(5 * 60_000);
    expect(await first).toEqual(INVALID);
    expect(keys.keys).not.toBe(before);
    expect(await authenticator.authenticate(header)).toEqual(INVALID);
  });

  test("for at most 10,000 tokens: then the oldest is forgotten", () => {
    const remembered = new RememberedTokens();
    const verified = { authentication: MISSING, until: 1, keys: readKeySet({ keys: [key.jwk] }) };
    for (let token = 0; token <= 10_000; token += 1) remembered.remember(`digest-${token}`, verified);
    const known = ["digest-0", "digest-1", "digest-10000"].map((digest) => remembered.get(digest, 0));
    expect(known).toEqual([undefined, verified, verified]);
  });

  test("but not if it is refused", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const nbf = Math.floor(world.clock.now() / 1000) + 120;
    const token = await world.token({ claims: { nbf } });
    expect(await authenticate(token)).toEqual(INVALID);
    world.clock.advance(60_000);
    expect(await authenticate(token)).toMatchObject({ kind: "principal" });
  });
});

test("the log says why tokens are refused, once a minute for each reason, and nothing of the token", async () => {
  const world = await TokenWorld.start(key);
  const authenticate = await world.open();
  const expired = await world.token({ claims: { exp: 1, sub: "alice-of-the-token" } });
  const foreign = await world.token({ claims: { aud: "payroll" } });
  for (const token of [expired, expired, foreign, expired]) expect(await authenticate(token)).toEqual(INVALID);
  const lines = [/^A bearer token was refused: "exp" claim/, /^A bearer token was refused: unexpected "aud" claim/];
  expect(world.log).toEqual(lines.map((line) => expect.stringMatching(line)));
  world.clock.advance(60_000);
  await authenticate(expired);
  expect(world.log).toHaveLength(3);
  expect(world.log.join()).not.toMatch(/alice|payroll|eyJ/);
});

test("D-AUTH 2: the log says once a minute that the path to the authorities leads to nothing in a token, and how it was read", async () => {
  const world = await TokenWorld.start(key);
  const authenticate = await world.open({ authoritiesClaim: "resource_access.trading.admin.api.roles" });
  const roles = ["HALT_RESUME_TRADING"];
  const token = await world.token({ claims: { resource_access: { "trading.admin.api": { roles } } } });
  const another = await world.token({ claims: { jti: "another" } });
  for (const given of [token, another, token]) {
    expect(await authenticate(given)).toMatchObject({ kind: "principal", principal: { permissions: new Set() } });
  }
  expect(world.log).toEqual([
    'A bearer token is valid but grants no permission, as authoritiesClaim leads to no text or list in it: it asks for "resource_access", ' +
      'in it "trading", in it "admin", in it "api", in it "roles"; a name that has dots itself is written in brackets and quotes, as ["a.b"]',
  ]);
  world.clock.advance(60_000);
  await authenticate(await world.token({ claims: { jti: "a third" } }));
  expect(world.log).toHaveLength(2);
});

test.each([
  ["an empty list is not a reason for it", [[]], 0],
  ["one token that has authorities does not keep it from another that lacks them", [["x"], undefined], 1],
  ["a path that ends too early, at an object, is one", [{ roles: ["x"] }], 1],
])("D-AUTH 2: of that line: %s", async (_what, tokens, lines) => {
  const world = await TokenWorld.start(key);
  const authenticate = await world.open();
  for (const authorities of tokens) {
    expect(await authenticate(await world.token({ claims: { authorities } }))).toMatchObject({ kind: "principal" });
  }
  const line = expect.stringMatching(/in it: it asks for "authorities"$/);
  expect(world.log).toEqual(Array(lines).fill(line));
});

describe("options that would open a hole stop the start", () => {
  test.each([
    [{}, "issuerUri or jwkSetUri is needed"],
    [{ issuerUri: "provider" }, "issuerUri is not a URL"],
    [{ issuerUri: "http://provider.example" }, "issuerUri must begin with https:// (http:// only on this machine)"],
    [{ jwkSetUri: "https://u:p@provider.example" }, "jwkSetUri must not hold a user"],
    [{ jwkSetUri: "https://u@provider.example" }, "jwkSetUri must not hold a user"],
    [{ jwkSetUri: "https://:p@provider.example" }, "jwkSetUri must not hold a user"],
    [{ jwkSetUri: "file:///keys" }, "jwkSetUri must begin with https://"],
    [{ jwkSetUri: "ftp://127.0.0.1/keys" }, "jwkSetUri must begin with https://"],
    [{ jwkSetUri: "https://provider.example/keys#one" }, "jwkSetUri must not hold a user"],
    [{ algorithms: ["RS256", "HS256"] }, 'and not "HS256"'],
    [{ algorithms: ["none"] }, 'and not "none"'],
    [{ algorithms: [] }, "algorithms must be some of RS256"],
    [{ authoritiesClaim: "a..b" }, '"a..b" is not a path to a claim'],
    [{ clockSkewMs: -1 }, "cannot use this `clockSkewMs`; it takes a number from 0 to"],
    [{ clockSkewMs: Number.NaN }, "cannot use this `clockSkewMs`; it takes a number from 0 to"],
    [{ keyLifetimeMs: 0 }, "cannot use this `keyLifetimeMs`; it takes a number from 1 to"],
  ])("such as %j", async (options, message) => {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const base = "issuerUri" in options || "jwkSetUri" in options || Object.keys(options).length === 0;
    const given = base ? options : { issuerUri: "https://provider.example", ...options };
    await expect(openTokenAuthentication({ ...given, log })).rejects.toThrow(message);
  });
});
