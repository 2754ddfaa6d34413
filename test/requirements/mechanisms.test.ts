import { afterAll, beforeAll, describe, expect } from "vitest";
import { type SigningKey, signingKey, TokenWorld } from "../auth/token/tokens.ts";
import { credentials, USERS } from "../support/access-files.ts";
import type { Slapd } from "../support/slapd.ts";
import type { HttpWorld } from "../support/world.ts";
import { ENDPOINTS } from "./support/endpoints.ts";
import { openGateway, verifiesGateway } from "./support/gateway.ts";
import { openSuiteLdap, openSuiteTokens, startSuiteDirectory, verifiesMechanism } from "./support/mechanisms.ts";
import { expectError, lacks, requestFor } from "./support/responses.ts";

let slapd: Slapd;
let key: SigningKey;
let stranger: SigningKey;

beforeAll(async () => {
  slapd = await startSuiteDirectory();
  key = await signingKey("one");
  stranger = await signingKey("one");
});

afterAll(() => slapd.stop());

const ldap = () => openSuiteLdap(slapd);
const tokens = () => openSuiteTokens(key);

/** Checks what each of the 18 operations answers to these credentials. */
async function expectAll(world: HttpWorld, authorization: string | null, status: number): Promise<void> {
  for (const { name } of ENDPOINTS) {
    const reply = await world.http({ ...requestFor(name), authorization });
    expect({ name, status: reply.status, body: status === 401 ? reply.body : "" }).toEqual({ name, status, body: "" });
  }
}

/** Checks each of the 18 operations for each user of the suites: the permission table of the specification. */
async function expectPermissionTable(world: HttpWorld): Promise<void> {
  for (const { name, permission } of ENDPOINTS) {
    for (const [user, permissions] of Object.entries(USERS)) {
      const reply = await world.http({ ...requestFor(name), authorization: world.authentication.credentials(user) });
      if (permission === null || permissions.includes(permission)) {
        expect({ name, user, status: reply.status }).toEqual({ name, user, status: 200 });
      } else {
        expectError(reply, 403, lacks(user, permission));
      }
    }
  }
}

describe("rows of the authentication table", () => {
  verifiesMechanism("AUTH-LDAP", "LDAP", ldap, async (world) => {
    await expectAll(world, credentials("chief"), 200);
    const wrong = `Basic ${Buffer.from("chief:password of viewer").toString("base64")}`;
    for (const authorization of [null, wrong, credentials("nobody"), "Bearer chief"]) {
      await expectAll(world, authorization, 401);
    }
    const { headers } = await world.http({ path: "/services", authorization: null });
    expect(headers["www-authenticate"]).toMatch(/^Basic realm=/);
  });

  verifiesMechanism("AUTH-PROVIDER", "PROVIDER", tokens, async (world, { bearer }) => {
    await expectAll(world, world.authentication.credentials("chief"), 200);
    await expectAll(world, await bearer({ claims: { sub: "somebody.else", authorities: USERS.chief } }), 200);
    for (const authorization of [null, credentials("chief"), "Bearer", "Bearer chief"]) {
      await expectAll(world, authorization, 401);
    }
  });

  verifiesMechanism("AUTH-TOKEN-VALIDATION", "PROVIDER", tokens, async (world, { bearer }) => {
    const chief = { sub: "chief", authorities: USERS.chief };
    for (const authorization of [
      await bearer({ claims: chief }, stranger),
      await bearer({ claims: { ...chief, exp: 1 } }),
      await bearer({ claims: { ...chief, iss: "https://other.example" } }),
      await bearer({ claims: { ...chief, aud: "another-api" } }),
    ]) {
      await expectAll(world, authorization, 401);
    }
    expect(world.gate.seen).toEqual([]);
    await expectAll(world, await bearer({ claims: chief }), 200);
  });

  verifiesMechanism("ERR-401-EXPIRED", "PROVIDER", tokens, async (world, { provider, credentials: of }) => {
    await expectAll(world, of("chief"), 200);
    provider.clock.advance(600_000);
    await expectAll(world, of("chief"), 401);
  });

  verifiesMechanism(
    "AUTH-TOKEN-VALIDATION",
    "PROVIDER without audiences",
    () => openSuiteTokens(key, { audiences: undefined }),
    async (world, { bearer }) => {
      const claims = { sub: "chief", authorities: USERS.chief, aud: "another-api" };
      await expectAll(world, await bearer({ claims }), 200);
    },
  );
});

describe("rows of the permission table", () => {
  verifiesMechanism("PERM-LDAP-RULES", "LDAP", ldap, expectPermissionTable);

  verifiesMechanism("PERM-TOKEN", "PROVIDER", tokens, async (world, { bearer }) => {
    await expectPermissionTable(world);
    const almost = await bearer({
      claims: { sub: "almost", authorities: ["halt_resume_trading", "ROLE_HALT_RESUME_TRADING", "ADMIN"] },
    });
    const reply = await world.http({ ...requestFor("haltTrading"), authorization: almost });
    expectError(reply, 403, lacks("almost", "HALT_RESUME_TRADING"));
  });

  verifiesMechanism(
    "PERM-TOKEN-MAPPING",
    "PROVIDER",
    () =>
      openSuiteTokens(key, {
        authoritiesClaim: "realm_access.roles",
        authorityMapping: { desk: ["HALT_RESUME_TRADING", "CONTROL_FIX_SESSION"] },
      }),
    async (world, { bearer }) => {
      const authorization = await bearer({ claims: { sub: "dora", realm_access: { roles: ["desk"] } } });
      for (const { name, permission } of ENDPOINTS) {
        const allowed = [null, "HALT_RESUME_TRADING", "CONTROL_FIX_SESSION"].includes(permission);
        const reply = await world.http({ ...requestFor(name), authorization });
        expect({ name, status: reply.status }).toEqual({ name, status: allowed ? 200 : 403 });
      }
    },
  );
});

const JWT = "spring.security.oauth2.resourceserver.jwt";
const LOGIN = "spring.security.oauth2.client.provider.keycloak";

/** What a gateway with these settings answers to tokens of the two providers, in this order. */
async function statusesOf(settings: readonly string[], providers: readonly TokenWorld[]): Promise<number[]> {
  const gateway = await openGateway(settings.join("\n"));
  try {
    const now = Math.floor(Date.now() / 1000);
    const statuses: number[] = [];
    for (const provider of providers) {
      const token = await provider.token({ claims: { iat: now, exp: now + 300 } });
      const reply = await gateway.http({ path: "/services", authorization: `Bearer ${token}` });
      statuses.push(reply.status);
    }
    return statuses;
  } finally {
    await gateway.close();
  }
}

describe("settings of the monitor", () => {
  verifiesGateway("AUTH-PROVIDER", async () => {
    const world = await TokenWorld.start(key);
    const keys = `${JWT}.jwk-set-uri: ${world.server.origin}/keys`;
    for (const mechanism of [
      "security.oauth2.provider.name: keycloak",
      "security.oauth2.authenticationType: PROVIDER",
      "security.oauth2: { authenticationType: SIMPLE, provider.name: keycloak }",
      "security.oauth2: { authenticationType: LDAP, provider.name: keycloak }",
    ]) {
      expect({ mechanism, statuses: await statusesOf([mechanism, keys], [world]) }).toEqual({
        mechanism,
        statuses: [200],
      });
    }
  });

  verifiesGateway("AUTH-TOKEN-LOGIN-PROVIDER", async () => {
    const world = await TokenWorld.start(key);
    const named = "security.oauth2.provider.name: keycloak";
    for (const address of [`issuer-uri: ${world.server.origin}`, `jwk-set-uri: ${world.server.origin}/keys`]) {
      expect(await statusesOf([named, `${LOGIN}.${address}`], [world])).toEqual([200]);
    }
  });

  verifiesGateway("AUTH-TOKEN-EXPLICIT", async () => {
    const [login, other] = [await TokenWorld.start(stranger), await TokenWorld.start(key)];
    const settings = ["security.oauth2.provider.name: keycloak", `${LOGIN}.issuer-uri: ${login.server.origin}`];
    expect(await statusesOf(settings, [login, other])).toEqual([200, 401]);
    const explicit = [...settings, `${JWT}.issuer-uri: ${other.server.origin}`];
    expect(await statusesOf(explicit, [login, other])).toEqual([401, 200]);
    // The issuer as tokens name it, and its keys at the address at which this process reaches them.
    const elsewhere = [...explicit, `${JWT}.jwk-set-uri: ${login.server.origin}/keys`];
    login.publish(key);
    expect(await statusesOf(elsewhere, [login, other])).toEqual([401, 200]);
    const audience = (name: string) => [...explicit, `${JWT}.audiences: ${name}`];
    expect(await statusesOf(audience("trading-admin"), [other])).toEqual([200]);
    expect(await statusesOf(audience("another-api"), [other])).toEqual([401]);
  });
});
