import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenApiDocument } from "../../src/openapi/open-api.ts";
import { signingKey, TokenWorld } from "../auth/token/tokens.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { committedDocument } from "./committed.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** Asks a gateway with this configuration for the document. */
async function documentOf(yaml: string, authorization: string | null = CHIEF): Promise<RawReply> {
  const { url } = await folder.start(yaml);
  return sendRaw(url, { path: "/v3/api-docs", authorization });
}

describe("the gateway serves the document of its installation", () => {
  it("which with SIMPLE is the committed one, and HTTP Basic is its security scheme", async () => {
    const reply = await documentOf("security.oauth2.authenticationType: SIMPLE");
    expect(JSON.parse(reply.body)).toEqual(committedDocument());
    expect(committedDocument().components.securitySchemes).toHaveProperty("basic");
    expect(await documentOf("", null)).toMatchObject({ status: 401, body: "" });
  });

  it("which with PROVIDER asks for bearer tokens", async () => {
    const world = await TokenWorld.start(await signingKey("one"));
    const now = Math.floor(Date.now() / 1000);
    const token = await world.token({ claims: { iat: now, exp: now + 300 } });
    const yaml = `security.oauth2.authenticationType: PROVIDER
spring.security.oauth2.resourceserver.jwt: { issuer-uri: "${world.server.origin}", audiences: [trading-admin] }`;
    const document: OpenApiDocument = JSON.parse((await documentOf(yaml, `Bearer ${token}`)).body);
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(document.components.securitySchemes).toMatchObject({ bearer: { scheme: "bearer", bearerFormat: "JWT" } });
  });

  it("D-VAL 2, D-HTTP 6: which follows the settings for projection keys and unknown fields", async () => {
    const reply = await documentOf("admin.api: { projection-keys: [Desk], unknown-fields: ignore }");
    const { schemas } = (JSON.parse(reply.body) as OpenApiDocument).components;
    expect(schemas.Position?.properties).toHaveProperty("desk");
    expect(schemas.HaltTradingRequest).not.toHaveProperty("additionalProperties");
  });

  it("D-HTTP 9, D-HTTP 24: unless NONE closes it, or admin.api.enabled: false takes it away", async () => {
    expect(await documentOf("security.oauth2.authenticationType: NONE")).toMatchObject({ status: 403 });
    const off = await folder.start("admin.api.enabled: false");
    for (const path of ["/v3/api-docs", "/v3/api-docs.yaml"]) {
      for (const authorization of [CHIEF, null]) {
        expect(await sendRaw(off.url, { path, authorization })).toMatchObject({ status: 404 });
      }
    }
  });
});
