import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { parse } from "yaml";
import { parseSettings } from "../../src/config/load.ts";
import { credentials } from "../support/access-files.ts";
import { sendRaw } from "../support/raw-http.ts";
import { verifiesHttp } from "../support/verifies.ts";
import { ENDPOINTS } from "./support/endpoints.ts";
import { type GatewayWorld, openGateway, verifiesGateway } from "./support/gateway.ts";
import { expectError, requestFor } from "./support/responses.ts";

const DEPLOY = fileURLToPath(new URL("../../deploy", import.meta.url));
const READ = { path: "/services" };
const CLOSED = "The API is closed: ";
const UNSAFE = `${CLOSED}security.oauth2.authenticationType is NONE, and the API refuses to run without authentication`;

/** Statuses of all 18 operations, as `chief` and without credentials. */
async function statuses(gateway: GatewayWorld): Promise<Set<number>> {
  const found = new Set<number>();
  for (const { name } of ENDPOINTS) {
    const request = requestFor(name);
    found.add((await gateway.http(request)).status);
    found.add((await gateway.http({ ...request, authorization: null })).status);
  }
  return found;
}

/** Opens a gateway for a question and closes it again. */
async function withGateway<T>(yaml: string, ask: (gateway: GatewayWorld) => Promise<T>): Promise<T> {
  const gateway = await openGateway(yaml);
  return ask(gateway).finally(() => gateway.close());
}

describe("security chain", () => {
  verifiesHttp("AUTH-OWN-CHAIN", async (world) => {
    const monitor = { Cookie: "SESSION=of-the-monitor; JSESSIONID=1", "X-Forwarded-User": "chief" };
    for (const { name } of ENDPOINTS) {
      const request = requestFor(name);
      const reply = await world.http({ ...request, authorization: null, headers: { ...request.headers, ...monitor } });
      expect(reply).toMatchObject({ status: 401, body: "" });
    }
    expect(world.gate.seen).toEqual([]);
  });

  verifiesHttp("AUTH-EVERY-REQUEST", async (world) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (const { name } of ENDPOINTS) {
        const good = await sendRaw(world.url, requestFor(name), agent);
        expect({ name, status: good.status, cookie: good.headers["set-cookie"] }).toEqual({ name, status: 200 });
        const bare = await sendRaw(world.url, { ...requestFor(name), authorization: null }, agent);
        expect({ name, status: bare.status, cookie: bare.headers["set-cookie"] }).toEqual({ name, status: 401 });
      }
    } finally {
      agent.destroy();
    }
  });
});

describe("mechanism", () => {
  verifiesGateway("AUTH-MECHANISM", async (simple) => {
    const status = async (gateway: GatewayWorld) => (await gateway.http(READ)).status;
    expect(await status(simple)).toBe(200);
    expect(await withGateway("security.oauth2.authenticationType: NONE", status)).toBe(403);
    expect(await withGateway("security.oauth2.authenticationType: PROVIDER", status)).not.toBe(200);
    expect(await withGateway("security.oauth2.provider.name: keycloak", status)).not.toBe(200);
  });

  verifiesHttp("AUTH-SIMPLE", async (world) => {
    const encoded = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    for (const authorization of [encoded("chief:password of chief"), credentials("viewer")]) {
      expect(await world.http({ ...READ, authorization })).toMatchObject({ status: 200 });
    }
    for (const authorization of [
      encoded("chief:password of viewer"),
      encoded("nobody:password of nobody"),
      encoded("chief"),
      "Basic chief:password of chief",
      "Bearer chief",
    ]) {
      expect(await world.http({ ...READ, authorization })).toMatchObject({
        status: 401,
        body: "",
        headers: { "www-authenticate": expect.stringMatching(/^Basic realm=/) },
      });
    }
  });

  verifiesGateway("AUTH-IMAGE-AND-CHART", async () => {
    const image = readFileSync(join(DEPLOY, "application.yaml"), "utf8");
    const settings = parseSettings(image, join(DEPLOY, "application.yaml"));
    expect(settings["security.oauth2.authenticationType"]).toBe("SIMPLE");
    expect(image).toMatch(/^ {4}authenticationType: SIMPLE$/m);
    expect(parse(readFileSync(join(DEPLOY, "chart", "values.yaml"), "utf8"))).toMatchObject({
      authenticationType: "SIMPLE",
    });
  });

  verifiesGateway("AUTH-SIMPLE", async (simple) => {
    expect(await statuses(simple)).toEqual(new Set([200, 401]));
    const named = "security.oauth2.authenticationType: SIMPLE\nsecurity.oauth2.provider.name: keycloak";
    expect(await withGateway(named, statuses)).not.toContain(200);
  });

  verifiesGateway(
    "AUTH-NONE",
    async (gateway) => {
      for (const { name } of ENDPOINTS) {
        for (const authorization of [null, credentials("chief"), "Bearer token"]) {
          expectError(await gateway.http({ ...requestFor(name), authorization }), 403, UNSAFE);
        }
      }
    },
    "security.oauth2.authenticationType: NONE",
  );

  verifiesGateway(
    "AUTH-REFUSES-OPEN",
    async (gateway) => {
      expect(await statuses(gateway)).toEqual(new Set([403]));
      expect(gateway.log()).toContainEqual(expect.objectContaining({ level: "error", msg: UNSAFE }));
      const nowhere = "security.oauth2.authenticationType: SIMPLE\nsecurity.uac.directory: nowhere";
      await expect(openGateway(nowhere)).rejects.toThrow(/uac-file-security\.xml/);
    },
    "security.oauth2.authenticationType: NONE",
  );

  verifiesGateway(
    "AUTH-NO-JWT-VALIDATION",
    async (gateway) => {
      expect(await statuses(gateway)).toEqual(new Set([403]));
      const { body } = await gateway.http(READ);
      expect(JSON.parse(body).message).toContain("no JWT validation is configured");
    },
    "security.oauth2.authenticationType: PROVIDER",
  );

  verifiesGateway("AUTH-REMOVED-SETTINGS", async () => {
    for (const [setting, replacement] of [
      ["audience", "audiences"],
      ["validateIssuer", "issuer-uri"],
    ] as const) {
      const opening = openGateway(`security.oauth2.provider.${setting}: x`);
      const text = `"security.oauth2.provider.${setting}" is no longer supported; use "[a-z]+.security.oauth2.resourceserver.jwt.${replacement}"`;
      await expect(opening).rejects.toThrow(new RegExp(text));
    }
  });
});
