import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { compactVerify, decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";
import { readKeySet } from "../../../src/auth/token/key-set.ts";
import { INVALID, type SigningKey, signingKey, TokenWorld } from "./tokens.ts";

interface Vectors {
  readonly groups: readonly {
    readonly file: string;
    readonly comment: string;
    readonly keys: readonly object[];
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly jws: string;
      readonly result: string;
    }[];
  }[];
}

const { groups } = JSON.parse(readFileSync(new URL("wycheproof-jws.json", import.meta.url), "utf8")) as Vectors;
const vectors = groups.flatMap(({ keys, file, tests }) => tests.map((vector) => ({ ...vector, keys, file })));

/** Signatures that are right by keys whose `alg` JWA does not have (ES521), or contradicts the header: they are refused all the same. */
const REFUSED_FOR_THE_KEY = new Set([346, 347]);

describe("D-AUTH 17: vectors of Wycheproof", () => {
  test.each(vectors)("$file $tcId: $comment", async ({ tcId, keys, jws, result }) => {
    const verified = (async () => {
      const fitting = await readKeySet({ keys }).find(decodeProtectedHeader(jws));
      for (const key of fitting) await compactVerify(jws, key);
      return "valid";
    })().catch(() => "invalid");
    expect(await verified).toBe(REFUSED_FOR_THE_KEY.has(tcId) ? "invalid" : result);
  });
});

describe("D-AUTH 16: a token is tried with every key that fits its header", () => {
  async function worldOf(...keys: readonly SigningKey[]) {
    const [first] = keys;
    if (!first) throw new Error("a key is needed");
    const world = await TokenWorld.start(first);
    world.publish(...keys);
    return { world, authenticate: await world.open({ algorithms: ["ES256"] }) };
  }

  test.each([
    ["no key has a kid", [undefined, undefined, undefined]],
    ["all keys have a kid, and the token has none", ["one", "two", "three"]],
    ["several keys have one kid", ["one", "one", "one"]],
  ])("where %s", async (_name, kids) => {
    const keys = await Promise.all(kids.map((kid) => signingKey(kid, "ES256")));
    const { world, authenticate } = await worldOf(...keys);
    const header = new Set(kids).size === 1 ? {} : { kid: undefined };
    for (const key of keys) {
      expect(await authenticate(await world.token({ header }, key))).toMatchObject({ kind: "principal" });
      expect(await authenticate(await world.token({ header, claims: { aud: "others" } }, key))).toEqual(INVALID);
    }
    const attacker = await signingKey(kids[0], "ES256");
    expect(await authenticate(await world.token({ header }, attacker))).toEqual(INVALID);
    expect(world.fetches).toBe(1);
  });

  test("and by those of its algorithm only", async () => {
    const [rsa, ec, other] = await Promise.all([
      signingKey(undefined),
      signingKey(undefined, "ES256"),
      signingKey(undefined, "ES384"),
    ]);
    const { world } = await worldOf(rsa, ec, other);
    const authenticate = await world.open({ algorithms: ["RS256", "ES256"] });
    expect(await authenticate(await world.token({}, rsa))).toMatchObject({ kind: "principal" });
    expect(await authenticate(await world.token({}, ec))).toMatchObject({ kind: "principal" });
    expect(await authenticate(await world.token({}, other))).toEqual(INVALID);
  });

  test("but by no more than eight", async () => {
    const keys = await Promise.all(Array.from({ length: 9 }, () => signingKey(undefined, "ES256")));
    const set = readKeySet({ keys: keys.map(({ jwk }) => jwk) });
    expect(await set.find({ alg: "ES256" })).toHaveLength(8);
  });
});

describe("D-AUTH 17: RSA keys with a small or even exponent are skipped with a warning", () => {
  const key = signingKey("weak");

  test.each([
    ["1", "AQ", false],
    ["3", "Aw", false],
    ["65535", "__8", false],
    ["65538", "AQAC", false],
    ["65537", "AQAB", true],
    ["4294967297", "AQAAAAE", true],
  ])("%s", async (exponent, e, isTaken) => {
    const { jwk } = await key;
    const { warnings } = readKeySet({
      keys: [
        { ...jwk, e },
        { ...jwk, kid: "good" },
      ],
    });
    expect(warnings).toEqual(
      isTaken ? [] : [`the key "weak" is skipped: its exponent is ${exponent}, and RSA needs an odd one from 65537 on`],
    );
  });
});

describe("D-LOAD 16: of a set of keys the first 64 are read", () => {
  function published(count: number, usable: number): ReturnType<typeof readKeySet> {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const good = publicKey.export({ format: "jwk" });
    return readKeySet({
      keys: Array.from({ length: count }, (_, at) =>
        at === usable ? { ...good, kid: "good" } : { kty: "oct", kid: `${at}` },
      ),
    });
  }

  test("the 64th is found, and what is skipped beyond has one warning with its number", async () => {
    const { warnings, find } = published(2_200, 63);
    expect(await find({ alg: "ES256", kid: "good" })).toHaveLength(1);
    expect(warnings).toHaveLength(64);
    expect(warnings[0]).toBe("2136 keys are skipped: of a set of keys 64 are read");
  });

  test("the 65th is not, nor is a set read that has no other", () => {
    expect(() => published(65, 64)).toThrow("no key that tokens can be checked with");
  });

  test("a set of 64 has no such warning", () => {
    expect(published(64, 0).warnings.join()).not.toContain("are read");
  });
});
