import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { exportSPKI, importJWK, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { cases } from "../../support/extent.ts";
import { AUDIENCE, INVALID, type SigningKey, signingKey, type TokenChanges, TokenWorld } from "./tokens.ts";

let key: SigningKey;
let attacker: SigningKey;

beforeAll(async () => {
  [key, attacker] = await Promise.all([signingKey("one"), signingKey("one")]);
});

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

async function claimsOf(world: TokenWorld): Promise<object> {
  const [, payload = ""] = (await world.token()).split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

/** A token as the attack makes it. */
type Attack = (world: TokenWorld) => Promise<string>;

function changed(changes: TokenChanges): Attack {
  return (world) => world.token(changes);
}

function seconds(world: TokenWorld): number {
  return Math.floor(world.clock.now() / 1000);
}

/** Why tokens are refused: each attack has to fail for its own reason. */
const ALGORITHM = '"alg" (Algorithm) Header Parameter value not allowed';
const SIGNATURE = "signature verification failed";
const NO_KEY = "no applicable key found in the JSON Web Key Set";
const TYPE = "its type is not that of an access token";
const FORM = "Invalid Compact JWS";
const AUDIENCE_CLAIM = 'unexpected "aud" claim value';
const ISSUER_CLAIM = 'unexpected "iss" claim value';

const ATTACKS: Readonly<Record<string, readonly [reason: string, attack: Attack]>> = {
  "alg-none": [ALGORITHM, async (world) => `${encoded({ alg: "none" })}.${encoded(await claimsOf(world))}.`],
  "alg-none-in-other-case": [
    ALGORITHM,
    async (world) => `${encoded({ alg: "NoNe" })}.${encoded(await claimsOf(world))}.`,
  ],
  "alg-none-with-signature": [
    ALGORITHM,
    async (world) => {
      const [, payload, signature] = (await world.token()).split(".");
      return `${encoded({ alg: "none", kid: "one" })}.${payload}.${signature}`;
    },
  ],
  "hs256-with-the-public-key-as-pem": [
    ALGORITHM,
    async (world) => {
      const publicKey = await importJWK({ ...world.key.jwk, ext: true }, "RS256");
      if (publicKey instanceof Uint8Array) throw new Error("the key is not a public key");
      const secret = new TextEncoder().encode(await exportSPKI(publicKey));
      return new SignJWT({ ...(await claimsOf(world)) }).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(secret);
    },
  ],
  "hs256-with-the-modulus": [
    ALGORITHM,
    async (world) => {
      const secret = Buffer.from(world.key.jwk.n ?? "", "base64url");
      return new SignJWT({ ...(await claimsOf(world)) }).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(secret);
    },
  ],
  "other-alg-than-allowed": [
    ALGORITHM,
    async (world) => {
      const signer = { ...key, alg: "PS256", privateKey: (await signingKey("one", "PS256")).privateKey };
      return world.token({}, signer);
    },
  ],
  "other-key-of-the-same-id": [SIGNATURE, (world) => world.token({}, attacker)],
  "unknown-kid": [NO_KEY, (world) => world.token({}, { ...attacker, kid: "nobody" })],
  "jwk-header": [SIGNATURE, (world) => world.token({ header: { jwk: attacker.jwk } }, attacker)],
  "jku-header": [SIGNATURE, (world) => world.token({ header: { jku: `${world.server.origin}/evil` } }, attacker)],
  "x5u-header": [SIGNATURE, (world) => world.token({ header: { x5u: `${world.server.origin}/evil` } }, attacker)],
  "jku-header-and-unknown-kid": [
    NO_KEY,
    (world) => world.token({ header: { jku: `${world.server.origin}/evil` } }, { ...attacker, kid: "nobody" }),
  ],
  "x5c-header": [SIGNATURE, (world) => world.token({ header: { x5c: ["MIIB"] } }, attacker)],
  "kid-that-is-a-path": [NO_KEY, (world) => world.token({}, { ...attacker, kid: "../../evil" })],
  "kid-that-is-no-text": [NO_KEY, (world) => world.token({ header: { kid: 1 } })],
  expired: [
    '"exp" claim timestamp check failed',
    async (world) => changed({ claims: { exp: seconds(world) - 60 } })(world),
  ],
  "expired-for-years": ['"exp" claim timestamp check failed', changed({ claims: { exp: 1 } })],
  "without-expiry": ['missing required "exp" claim', changed({ claims: { exp: undefined } })],
  "expiry-as-text": ['"exp" claim must be a number', changed({ claims: { exp: "9999999999" } })],
  "not-yet-valid": [
    '"nbf" claim timestamp check failed',
    async (world) => changed({ claims: { nbf: seconds(world) + 61 } })(world),
  ],
  "not-before-as-text": ['"nbf" claim must be a number', changed({ claims: { nbf: "0" } })],
  "wrong-issuer": [ISSUER_CLAIM, changed({ claims: { iss: "https://evil.example" } })],
  "issuer-with-slash": [ISSUER_CLAIM, (world) => world.token({ claims: { iss: `${world.server.origin}/` } })],
  "missing-issuer": ['missing required "iss" claim', changed({ claims: { iss: undefined } })],
  "wrong-audience": [AUDIENCE_CLAIM, changed({ claims: { aud: "payroll" } })],
  "wrong-audiences": [AUDIENCE_CLAIM, changed({ claims: { aud: ["payroll", `${AUDIENCE}2`] } })],
  "missing-audience": ['missing required "aud" claim', changed({ claims: { aud: undefined } })],
  "empty-audiences": [AUDIENCE_CLAIM, changed({ claims: { aud: [] } })],
  "audience-in-another-case": [AUDIENCE_CLAIM, changed({ claims: { aud: AUDIENCE.toUpperCase() } })],
  "missing-subject": ['the claim "sub" with the user\'s name is missing', changed({ claims: { sub: undefined } })],
  "id-token-type": [TYPE, changed({ header: { typ: "id+jwt" } })],
  "logout-token-type": [TYPE, changed({ header: { typ: "logout+jwt" } })],
  "dpop-proof-type": [TYPE, changed({ header: { typ: "dpop+jwt" } })],
  "empty-type": [TYPE, changed({ header: { typ: "" } })],
  "type-that-is-no-text": [TYPE, changed({ header: { typ: 1 } })],
  "type-that-cannot-become-text": [TYPE, changed({ header: { typ: { toString: null, valueOf: null } } })],
  "critical-extension": [
    "it needs what is not supported",
    changed({ header: { crit: ["urn:example:strict"], "urn:example:strict": true } }),
  ],
  "critical-b64": ["its header has critical extensions", changed({ header: { crit: ["b64"], b64: true } })],
  truncated: ["Failed to base64url decode the signature", async (world) => (await world.token()).slice(0, -1)],
  "truncated-to-header-and-payload": [FORM, async (world) => (await world.token()).split(".").slice(0, 2).join(".")],
  "empty-signature": [SIGNATURE, async (world) => `${(await world.token()).split(".").slice(0, 2).join(".")}.`],
  "payload-exchanged": [
    SIGNATURE,
    async (world) => {
      const [header, , signature] = (await world.token()).split(".");
      return `${header}.${encoded({ ...(await claimsOf(world)), sub: "root" })}.${signature}`;
    },
  ],
  "payload-that-is-no-object": [
    SIGNATURE,
    async (world) => {
      const [header, , signature] = (await world.token()).split(".");
      return `${header}.${Buffer.from("[]").toString("base64url")}.${signature}`;
    },
  ],
  "header-that-is-no-json": [
    "JWS Protected Header is invalid",
    async (world) => {
      const [, payload, signature] = (await world.token()).split(".");
      return `${Buffer.from("{").toString("base64url")}.${payload}.${signature}`;
    },
  ],
  "five-parts": [FORM, async (world) => `${await world.token()}.x.y`],
  oversized: ["it is not one token of at most 16 KiB", changed({ claims: { padding: "x".repeat(16 * 1024) } })],
};

describe("Authentication 4: attacks on tokens", () => {
  test.each(Object.entries(ATTACKS))(
    "are refused for the reason %s, and nothing but the keys is fetched",
    async (_, [reason, attack]) => {
      const world = await TokenWorld.start(key);
      const authenticate = await world.open();
      world.server.pages.set("/evil", { keys: [attacker.jwk] });
      expect(await authenticate(await world.token())).toMatchObject({ kind: "principal" });
      world.clock.advance(60_000);
      expect(await authenticate(await attack(world))).toEqual(INVALID);
      expect(new Set(world.server.requests)).toEqual(new Set(["/.well-known/openid-configuration", "/keys"]));
      expect(world.log).toEqual([`A bearer token was refused: ${reason}`]);
    },
  );

  test("cannot use a weak key, a secret or a private key in the key set", async () => {
    const world = await TokenWorld.start(key);
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const weak = { ...publicKey.export({ format: "jwk" }), kid: "weak" };
    const { n: _, ...incomplete } = { ...attacker.jwk, kid: "incomplete" };
    const published = { ...attacker.jwk, kid: "private", d: "AQAB" };
    const secret = { kty: "oct", kid: "secret", k: "c2VjcmV0" };
    world.server.pages.set("/keys", { keys: [key.jwk, weak, incomplete, published, secret] });
    const authenticate = await world.open();
    expect(world.log).toEqual([
      'Keys of the identity provider: the key "weak" is skipped: it has 1024 bits, and RSA needs at least 2048',
      'Keys of the identity provider: the key "incomplete" is skipped: it cannot be read',
      'Keys of the identity provider: the key "private" is skipped: it is not a public key',
      'Keys of the identity provider: the key "secret" is skipped: it is not a public key',
    ]);
    expect(await authenticate(await world.token())).toMatchObject({ kind: "principal" });
    expect(await authenticate(await world.token({}, { ...attacker, kid: "private" }))).toEqual(INVALID);
  });
});

test("Authentication 4: whatever an unsigned token holds, it is refused and nothing fails", async () => {
  const world = await TokenWorld.start(key);
  const authenticate = await world.open();
  const part = fc.oneof(
    fc.json().map((text) => Buffer.from(text).toString("base64url")),
    fc.base64String().map((text) => text.replaceAll("=", "")),
  );
  const header = fc.oneof(
    part,
    fc
      .record({
        alg: fc.constantFrom("RS256", "none", "ES256"),
        kid: fc.constantFrom("one", "two"),
        typ: fc.jsonValue(),
      })
      .map(encoded),
  );
  const token = fc.tuple(header, part, part).map((parts) => parts.join("."));
  await fc.assert(
    fc.asyncProperty(token, async (text) => {
      expect(await authenticate(text)).toEqual(INVALID);
    }),
    { numRuns: cases(1000) },
  );
  expect(world.fetches).toBe(1);
});

describe("Authentication 4: times at the edge of the clock skew", () => {
  test.each([
    ["exp", -59],
    ["nbf", 60],
  ])("are accepted: %s %i s from now", async (claim, offset) => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const token = await world.token({ claims: { [claim]: seconds(world) + offset } });
    expect(await authenticate(token)).toMatchObject({ kind: "principal" });
  });

  test("are exact without clock skew", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open({ clockSkewMs: 0 });
    expect(await authenticate(await world.token({ claims: { exp: seconds(world) } }))).toEqual(INVALID);
    expect(await authenticate(await world.token({ claims: { nbf: seconds(world) + 1 } }))).toEqual(INVALID);
  });
});
