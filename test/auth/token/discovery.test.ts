import { beforeAll, describe, expect, test } from "vitest";
import { INVALID, type SigningKey, signingKey, TokenWorld } from "./tokens.ts";

let key: SigningKey;

beforeAll(async () => {
  key = await signingKey("one");
});

const ACCEPTED = { kind: "principal" };
const OPENID = "/.well-known/openid-configuration";
const OAUTH = "/.well-known/oauth-authorization-server";

describe("discovery of the issuer's document at the three well-known places", () => {
  test.each([
    ["/realms/desk", `/realms/desk${OPENID}`],
    ["/realms/desk", `${OPENID}/realms/desk`],
    ["/realms/desk", `${OAUTH}/realms/desk`],
    ["/realms/desk/", `/realms/desk${OPENID}`],
    ["", OPENID],
    ["/", OPENID],
    ["", OAUTH],
  ])("uses the document at its place: issuer path %j, document at %s", async (path, place) => {
    const world = await TokenWorld.start(key);
    const issuerUri = `${world.server.origin}${path}`;
    world.server.pages.delete(OPENID);
    world.server.pages.set(place, { issuer: issuerUri, jwks_uri: `${world.server.origin}/keys`, more: [1] });
    const authenticate = await world.open({ issuerUri });
    expect(await authenticate(await world.token({ claims: { iss: issuerUri } }))).toMatchObject(ACCEPTED);
    expect(world.log).toEqual([]);
  });

  test("does not use the document of another issuer, and logs the reason for each place", async () => {
    const world = await TokenWorld.start(key);
    const issuerUri = `${world.server.origin}/desk`;
    const page = { issuer: world.server.origin, jwks_uri: `${world.server.origin}/keys` };
    world.server.pages.set(`/desk${OPENID}`, page);
    world.server.pages.set(`${OPENID}/desk`, { ...page, issuer: `${issuerUri}/` });
    await world.open({ issuerUri });
    expect(world.log.join()).toContain(
      `${issuerUri}${OPENID}: the document is that of the issuer "${world.server.origin}"`,
    );
    expect(world.log.join()).toContain(`${OPENID}/desk: the document is that of the issuer "${issuerUri}/"`);
    expect(world.log.join()).toContain(`${OAUTH}/desk: the response has status 404 instead of 200`);
    expect(world.fetches).toBe(0);
  });

  test("tries the next place where a document is not metadata, and logs that", async () => {
    const world = await TokenWorld.start(key);
    world.server.pages.set(OPENID, { issuer: world.server.origin });
    await world.open();
    const noMetadata = `${world.server.origin}${OPENID}: the response is not a metadata document with issuer and jwks_uri; `;
    expect(world.log.join()).toContain(`${noMetadata}${world.server.origin}${OAUTH}: the response has status 404`);
  });

  test.each([["ftp://provider.example/keys"], ["http://provider.example/keys"], ["keys"]])(
    "does not use a jwks_uri %s",
    async (jwks_uri) => {
      const world = await TokenWorld.start(key);
      world.server.pages.set(OPENID, { issuer: world.server.origin, jwks_uri });
      await world.open();
      expect(world.log.join()).toMatch(/openid-configuration: its jwks_uri (must begin with https|is not a URL)/);
    },
  );

  test("looks for the key set again when it has moved", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open();
    const moved = await signingKey("moved");
    world.server.pages.delete("/keys");
    world.server.pages.set("/new-keys", { keys: [moved.jwk] });
    world.server.pages.set(OPENID, { issuer: world.server.origin, jwks_uri: `${world.server.origin}/new-keys` });
    world.clock.advance(5 * 60_000);
    await expect.poll(() => world.log).toHaveLength(1);
    world.clock.advance(30_000);
    await expect.poll(() => world.log).toHaveLength(2);
    expect(await authenticate(await world.token({}, moved))).toMatchObject(ACCEPTED);
  });
});

describe("Authentication 4: jwk-set-uri", () => {
  test("works alone, without discovery and without a check of the issuer", async () => {
    const world = await TokenWorld.start(key);
    const authenticate = await world.open({ issuerUri: undefined, jwkSetUri: `${world.server.origin}/keys` });
    for (const iss of ["https://anybody.example", undefined]) {
      expect(await authenticate(await world.token({ claims: { iss } }))).toMatchObject(ACCEPTED);
    }
    expect(world.server.requests).toEqual(["/keys"]);
  });

  test("works with issuer-uri, which may differ from the address where the keys are", async () => {
    const world = await TokenWorld.start(key);
    const issuerUri = "https://login.example/desk";
    const authenticate = await world.open({ issuerUri, jwkSetUri: `${world.server.origin}/keys` });
    expect(await authenticate(await world.token({ claims: { iss: issuerUri } }))).toMatchObject(ACCEPTED);
    expect(await authenticate(await world.token())).toEqual(INVALID);
    expect(world.server.requests).toEqual(["/keys"]);
  });

  test("checks audiences only when they are configured, and one of them is enough", async () => {
    const world = await TokenWorld.start(key);
    const open = await world.open({ audiences: undefined });
    const one = await world.open({ audiences: ["a", "b"] });
    const tokens = await Promise.all([undefined, "b", ["x", "b"], "x"].map((aud) => world.token({ claims: { aud } })));
    for (const token of tokens) expect(await open(token)).toMatchObject(ACCEPTED);
    const kinds: string[] = [];
    for (const token of tokens) kinds.push((await one(token)).kind);
    expect(kinds).toEqual(["challenge", "principal", "principal", "challenge"]);
  });
});
