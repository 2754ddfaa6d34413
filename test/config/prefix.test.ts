import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSettings, parseSettings, type SettingOverrides } from "../../src/config/load.ts";
import { authenticationMechanism } from "../../src/config/mechanism.ts";

const ISSUER = "https://login.example/realms/desk";
const KEY = "spring.security.oauth2.resourceserver.jwt.issuer-uri";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trading-admin-prefix-"));
  file = join(folder, "application.yaml");
});

afterEach(() => rmSync(folder, { recursive: true }));

async function issuer(yaml: string, overrides: SettingOverrides = {}): Promise<string | undefined> {
  writeFileSync(file, yaml);
  return (await loadSettings(file, overrides)).settings[KEY];
}

const PREFIXED = "quarkus.security.oauth2.resourceserver.jwt.issuer-uri";

describe("Authentication 4, D-AUTH 9: the first part of <framework>.security.oauth2.resourceserver.jwt can be changed", () => {
  test("in the file, in any spelling", async () => {
    expect(await issuer(`admin.settings.prefix: quarkus\n${PREFIXED}: ${ISSUER}`)).toBe(ISSUER);
    const nested = `quarkus:\n  security:\n    OAUTH2:\n      resource-server: { jwt: { issuerUri: "${ISSUER}" } }`;
    expect(await issuer(`admin: { settings: { prefix: Quarkus } }\n${nested}`)).toBe(ISSUER);
    expect(parseSettings(`admin.settings.prefix: quarkus\n${PREFIXED}: ${ISSUER}`, file)[KEY]).toBe(ISSUER);
  });

  test("in environment variables and on the command line, which go before the file", async () => {
    const yaml = `admin.settings.prefix: quarkus\n${PREFIXED}: https://other.example`;
    const variable = "QUARKUS_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUERURI";
    expect(await issuer(yaml, { environment: { [variable]: ISSUER } })).toBe(ISSUER);
    expect(await issuer(yaml, { commandLine: [`--${PREFIXED}=${ISSUER}`] })).toBe(ISSUER);
    expect(await issuer("", { environment: { ADMIN_SETTINGS_PREFIX: "quarkus", [variable]: ISSUER } })).toBe(ISSUER);
  });

  test("in config trees, which cannot give the prefix itself", async () => {
    const tree = join(folder, "secrets");
    mkdirSync(tree);
    writeFileSync(join(tree, PREFIXED), ISSUER);
    const yaml = "spring.config.import: configtree:secrets/\nadmin.settings.prefix: quarkus";
    expect(await issuer(yaml)).toBe(ISSUER);
    writeFileSync(join(tree, "admin.settings.prefix"), "micronaut");
    await expect(issuer(yaml)).rejects.toThrow(/admin\.settings\.prefix: a config tree cannot give it/);
  });

  test("elements of lists and names in keys keep working", async () => {
    writeFileSync(
      file,
      [
        "admin.settings.prefix: quarkus",
        "security.oauth2.provider.name: keycloak",
        `quarkus.security.oauth2.client.provider.keycloak.issuer-uri: ${ISSUER}`,
        "quarkus.security.oauth2.client.registration.keycloak.client-id: monitor",
      ].join("\n"),
    );
    const environment = { QUARKUS_SECURITY_OAUTH2_RESOURCESERVER_JWT_AUDIENCES_0: "desk" };
    const { settings } = await loadSettings(file, { environment });
    expect(settings["spring.security.oauth2.resourceserver.jwt.audiences"]).toEqual(["desk"]);
    expect(authenticationMechanism(settings)).toEqual({
      kind: "token",
      provider: { issuerUri: ISSUER, jwkSetUri: undefined },
    });
  });

  test("the documented keys count too, and both together are an error", async () => {
    expect(await issuer(`admin.settings.prefix: quarkus\n${KEY}: ${ISSUER}`)).toBe(ISSUER);
    const both = `admin.settings.prefix: quarkus\n${KEY}: ${ISSUER}\n${PREFIXED}: ${ISSUER}`;
    await expect(issuer(both)).rejects.toThrow(/:3: .*was already given on line 2/);
  });

  test("another first part stays unknown, as does any key below the new one that is not a setting", async () => {
    await expect(issuer(`${PREFIXED}: ${ISSUER}`)).rejects.toThrow(`unknown key "${PREFIXED}"`);
    const typo = PREFIXED.replace("issuer-uri", "isuer-uri");
    await expect(issuer(`admin.settings.prefix: quarkus\n${typo}: ${ISSUER}`)).rejects.toThrow(`did you mean "${KEY}"`);
    await expect(issuer("admin.settings.prefix: a.b")).rejects.toThrow(
      /:1: admin\.settings\.prefix: must be a first part/,
    );
  });
});
