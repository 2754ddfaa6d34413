import {
  GenericContainer,
  getContainerRuntimeClient,
  ImageName,
  type StartedTestContainer,
  Wait,
} from "testcontainers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTokenAuthentication, type TokenAuthentication } from "../../src/auth/token/token-authentication.ts";
import { describeContainers } from "./docker.ts";

/** Nothing is fetched unless `KEYCLOAK_IMAGE` says so. */
const NAMED = process.env.KEYCLOAK_IMAGE;
const IMAGE = NAMED ?? "quay.io/keycloak/keycloak:26.3";
const START_MS = 180_000;
const CLIENT = "halt-bot";
const SECRET = "secret-of-the-bot";

const REALM = {
  realm: "trading",
  enabled: true,
  roles: { realm: [{ name: "halt-desk" }] },
  clients: [
    {
      clientId: CLIENT,
      secret: SECRET,
      serviceAccountsEnabled: true,
      standardFlowEnabled: false,
      fullScopeAllowed: true,
      protocolMappers: [
        mapper("roles", "oidc-usermodel-realm-role-mapper", {
          "claim.name": "realm_access.roles",
          "jsonType.label": "String",
          multivalued: "true",
        }),
        mapper("audience", "oidc-audience-mapper", { "included.custom.audience": "trading-admin" }),
      ],
    },
  ],
  users: [
    {
      username: `service-account-${CLIENT}`,
      enabled: true,
      serviceAccountClientId: CLIENT,
      realmRoles: ["halt-desk"],
    },
  ],
};

function mapper(name: string, kind: string, config: Readonly<Record<string, string>>): object {
  return {
    name,
    protocol: "openid-connect",
    protocolMapper: kind,
    config: { "access.token.claim": "true", ...config },
  };
}

describeContainers("Authentication 4, 6: tokens of Keycloak", () => {
  let image: string | undefined;
  let keycloak: StartedTestContainer | undefined;

  beforeAll(async () => {
    const client = await getContainerRuntimeClient();
    if (NAMED !== undefined || (await client.image.exists(ImageName.fromString(IMAGE)))) image = IMAGE;
    if (image === undefined) return;
    const realm = [{ content: JSON.stringify(REALM), target: "/opt/keycloak/data/import/trading.json" }];
    keycloak = await new GenericContainer(image)
      .withCommand(["start-dev", "--import-realm"])
      .withCopyContentToContainer(realm)
      .withExposedPorts(8080)
      .withWaitStrategy(Wait.forHttp("/realms/trading", 8080))
      .withStartupTimeout(START_MS)
      .start();
  }, START_MS + 60_000);

  afterAll(() => keycloak?.stop());

  it("the service account has the permissions of its realm role, or the image is not here and this says so", async (context) => {
    if (keycloak === undefined) {
      process.stdout.write(
        `containers: the image ${IMAGE} is not here (KEYCLOAK_IMAGE fetches one); test/auth/token has another real provider\n`,
      );
      context.annotate(`no image of Keycloak here; test/auth/token covers the same cases with oidc-provider`);
      return;
    }
    const issuerUri = `http://127.0.0.1:${keycloak.getMappedPort(8080)}/realms/trading`;
    const trading = await open(issuerUri, "trading-admin");
    const payroll = await open(issuerUri, "payroll");
    try {
      const authorization = `Bearer ${await tokenFrom(issuerUri)}`;
      expect(await trading.authenticator.authenticate(authorization)).toMatchObject({
        kind: "principal",
        principal: { name: CLIENT, permissions: new Set(["HALT_RESUME_TRADING"]), authentication: "bearer" },
      });
      expect(await payroll.authenticator.authenticate(authorization)).toMatchObject({ kind: "challenge" });
    } finally {
      trading.close();
      payroll.close();
    }
  });
});

function open(issuerUri: string, audience: string): Promise<TokenAuthentication> {
  return openTokenAuthentication({
    issuerUri,
    audiences: [audience],
    principalClaim: "azp",
    authoritiesClaim: "realm_access.roles",
    authorityMapping: { "halt-desk": ["HALT_RESUME_TRADING"] },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
}

async function tokenFrom(issuer: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: CLIENT, client_secret: SECRET });
  const reply = await fetch(`${issuer}/protocol/openid-connect/token`, { method: "POST", body });
  if (!reply.ok) throw new Error(`Keycloak answers ${reply.status}: ${await reply.text()}`);
  return ((await reply.json()) as { access_token: string }).access_token;
}
