import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { signingKey, type TokenChanges, TokenWorld } from "../auth/token/tokens.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { exchange, head } from "./connection.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";

const JWT = "spring.security.oauth2.resourceserver.jwt";
const READ = { path: "/services" };
const HALT = { method: "POST", path: "/trading/halt", headers: { "Content-Type": "application/json" }, body: "{}" };

const key = await signingKey("one");

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** A token that is in order now, by the machine's clock. */
function token(world: TokenWorld, { claims, ...rest }: TokenChanges = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return world.token({ claims: { iat: now, exp: now + 300, ...claims }, ...rest });
}

async function start(
  yaml: string,
): Promise<(request: Partial<RawRequest>, authorization: string | null) => Promise<RawReply>> {
  folder.remove("uac-file-security.xml");
  const { url } = await folder.start(yaml);
  return (request, authorization) => sendRaw(`${url}/api/admin/v1`, { ...READ, ...request, authorization });
}

describe("Authentication 2, 4; Authorization: the gateway with PROVIDER", () => {
  it("takes permissions from the token and names the one that is missing", async () => {
    const world = await TokenWorld.start(key);
    const send = await start(`
security.oauth2:
  authenticationType: PROVIDER
  provider:
    authoritiesClaim: realm_access.roles
    authorityMapping: { halt-desk: HALT_RESUME_TRADING }
${JWT}: { issuer-uri: "${world.server.origin}", audiences: [trading-admin] }`);
    const may = await token(world, { claims: { realm_access: { roles: ["halt-desk"] }, jti: "token-7" } });
    const mayNot = await token(world, { claims: { authorities: ["HALT_RESUME_TRADING"] } });
    expect(await send(HALT, `Bearer ${may}`)).toMatchObject({ status: 200 });
    expect(await send(READ, `Bearer ${mayNot}`)).toMatchObject({ status: 200 });
    const refused = await send(HALT, `Bearer ${mayNot}`);
    expect(refused).toMatchObject({ status: 403, body: expect.stringContaining("HALT_RESUME_TRADING") });
    expect(folder.log()).toContainEqual(
      expect.objectContaining({
        user: "alice",
        authentication: "bearer",
        tokenId: "token-7",
        operation: "haltTrading",
      }),
    );
    expect(folder.logText()).not.toContain(may);
  });

  it("reuses the issuer of the login provider", async () => {
    const world = await TokenWorld.start(key);
    const send = await start(`
security.oauth2.provider.name: keycloak
spring.security.oauth2.client:
  registration.keycloak.client-id: monitor
  provider.keycloak.issuer-uri: ${world.server.origin}`);
    expect(await send(READ, `Bearer ${await token(world)}`)).toMatchObject({ status: 200 });
    const foreign = await token(world, { claims: { iss: "https://other.example" } });
    expect(await send(READ, `Bearer ${foreign}`)).toMatchObject({ status: 401, body: "" });
  });

  it("D-HTTP 11, D-AUTH 4: challenges those without a token, those with Basic, and those with a bad token", async () => {
    const world = await TokenWorld.start(key);
    const send = await start(`
security.oauth2.authenticationType: PROVIDER
${JWT}.jwk-set-uri: ${world.server.origin}/keys`);
    const expired = await token(world, { claims: { exp: 1 } });
    for (const [authorization, challenge] of [
      [null, "Bearer"],
      [CHIEF, "Bearer"],
      [`Bearer ${expired}`, 'Bearer error="invalid_token"'],
    ] as const) {
      const { status, body, headers } = await send(READ, authorization);
      expect([status, body, headers["www-authenticate"]]).toEqual([401, "", challenge]);
    }
    const inQuery = await send({ path: `/services?access_token=${await token(world)}` }, null);
    expect([inQuery.status, inQuery.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  });

  it("refuses two Authorization headers, even if each has a good token", async () => {
    const world = await TokenWorld.start(key);
    folder.remove("uac-file-security.xml");
    const { url } = await folder.start(`
security.oauth2.authenticationType: PROVIDER
${JWT}.jwk-set-uri: ${world.server.origin}/keys`);
    const bearer = `Authorization: Bearer ${await token(world)}`;
    const once = await exchange(url, head("GET", "/services", bearer, "Connection: close"));
    const twice = await exchange(url, head("GET", "/services", bearer, bearer, "Connection: close"));
    const mixed = await exchange(url, head("GET", "/services", `Authorization: ${CHIEF}`, bearer, "Connection: close"));
    expect([once, twice, mixed].map((reply) => reply.slice(9, 12))).toEqual(["200", "401", "401"]);
  });

  it("D-HTTP 10, D-AUTH 10: starts while the provider is unavailable, responds 500 and logs why", async () => {
    const world = await TokenWorld.start(key);
    await world.server.down();
    const send = await start(`
security.oauth2.authenticationType: PROVIDER
${JWT}.jwk-set-uri: ${world.server.origin}/keys`);
    const header = `Bearer ${await token(world)}`;
    for (const _ of [1, 2, 3]) {
      const { status, body } = await send(READ, header);
      expect([status, JSON.parse(body).message]).toEqual([
        500,
        "The token cannot be checked, as the identity provider does not respond; it may be valid",
      ]);
    }
    const errors = folder.log().filter(({ level }) => level === "error");
    expect(errors).toEqual([
      expect.objectContaining({ msg: expect.stringContaining("No valid keys are known, so tokens cannot be") }),
    ]);
    expect(await send(READ, null)).toMatchObject({ status: 401 });
  });

  it.each([
    ["authoritiesClaim: a..b", '"a..b" is not a path to a claim'],
    ["key-lifetime: 1s", "must be a duration from 1m to 168h"],
  ])("does not start with %s", async (setting, message) => {
    const yaml = `
security.oauth2.authenticationType: PROVIDER
security.oauth2.provider.${setting}
${JWT}.issuer-uri: https://login.example`;
    await expect(start(yaml)).rejects.toThrow(message);
  });

  it("D-AUTH 8: does not start with a provider that is reached over plain HTTP on another machine", async () => {
    const yaml = `security.oauth2.authenticationType: PROVIDER\n${JWT}.issuer-uri: http://login.example`;
    await expect(start(yaml)).rejects.toThrow("issuerUri must begin with https:// (http:// only on this machine)");
  });
});
