import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { environmentSource } from "../../src/config/environment-variables.ts";
import { REMOVED_KEYS, SETTING_KEYS, settingInfo } from "../../src/config/settings.ts";
import { problemsIn, settingsOf } from "./sources.ts";

const JWT = "SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT";

/** The variable by Spring's rule: dots to underscores, dashes removed, upper case. */
function variableOf(key: string): string {
  return key.replaceAll(".", "_").replaceAll("-", "").toUpperCase();
}

/** The same with a dash, an underscore or nothing between the words of a segment, and letters in either case. */
function relaxedVariable(key: string): fc.Arbitrary<string> {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(".", "_")
    .split("-");
  const separators = fc.array(fc.constantFrom("", "-", "_"), { minLength: words.length, maxLength: words.length });
  return fc.tuple(separators, fc.array(fc.boolean(), { minLength: 80, maxLength: 80 })).map(([between, upper]) => {
    const joined = words.map((word, index) => `${index === 0 ? "" : between[index]}${word}`).join("");
    return [...joined].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter.toLowerCase())).join("");
  });
}

function keysOf(variable: string): string[] {
  return environmentSource({ [variable]: "x" }).properties.map(({ key }) => key);
}

describe("environment variables are named by Spring's rule", () => {
  const keys = [...SETTING_KEYS, ...Object.keys(REMOVED_KEYS)];

  test.each(keys)("%s is set by the variable of the rule, which means no other key", (key) => {
    const named = key.replace("*", "keycloak");
    expect(keysOf(variableOf(named))).toEqual([named]);
  });

  test.each(keys)("%s is set by any relaxed form of the variable too", (key) => {
    const named = key.replace("*", "keycloak");
    fc.assert(
      fc.property(relaxedVariable(named), (variable) => {
        expect(keysOf(variable)).toEqual([named]);
      }),
    );
  });

  test.each([
    ["SERVER_PORT", "1", { "server.port": 1 }],
    [
      `${JWT}_ISSUERURI`,
      "https://a.example",
      { "spring.security.oauth2.resourceserver.jwt.issuer-uri": "https://a.example" },
    ],
    [
      `${JWT}_ISSUER_URI`,
      "https://a.example",
      { "spring.security.oauth2.resourceserver.jwt.issuer-uri": "https://a.example" },
    ],
    [
      `${JWT}_ISSUER-URI`,
      "https://a.example",
      { "spring.security.oauth2.resourceserver.jwt.issuer-uri": "https://a.example" },
    ],
    ["SECURITY_OAUTH2_AUTHENTICATIONTYPE", "ldap", { "security.oauth2.authenticationType": "LDAP" }],
    ["SECURITY_OAUTH2_AUTHENTICATION_TYPE", "ldap", { "security.oauth2.authenticationType": "LDAP" }],
    ["ADMIN_ENGINE_URL", "ws://a, ws://b", { "admin.engine.url": ["ws://a", "ws://b"] }],
  ])("so that %s=%s", (variable, value, settings) => {
    expect(settingsOf({ environment: { [variable]: value } })).toMatchObject(settings);
  });

  test("with a name in a key read in lower case, with dots for underscores", () => {
    const provider = "SPRING_SECURITY_OAUTH2_CLIENT_PROVIDER";
    const settings = settingsOf({
      environment: {
        [`${provider}_KEYCLOAK_ISSUER_URI`]: "https://a.example",
        [`${provider}_MY_OKTA_ISSUERURI`]: "https://b.example",
        SECURITY_OAUTH2_PROVIDER_AUTHORITYMAPPING_DESK_1: "CONTROL_FIX_SESSION",
        SECURITY_OAUTH2_PROVIDER_AUTHORITYMAPPING_DESK_0: "POSITION_ADJUSTMENT",
      },
    });
    expect(settings["spring.security.oauth2.client.provider.*.issuer-uri"]).toEqual({
      keycloak: "https://a.example",
      "my.okta": "https://b.example",
    });
    expect(settings["security.oauth2.provider.authorityMapping.*"]).toEqual({
      desk: ["POSITION_ADJUSTMENT", "CONTROL_FIX_SESSION"],
    });
  });
});

describe("only variables that mean a setting count", () => {
  test.each([
    "PATH",
    "PORT",
    "SERVERPORT",
    "SERVER_PROT",
    "SERVER_PORT_8988_TCP",
    "SERVER_PORT_0",
    "MY_SERVER_PORT",
    "SERVER_",
  ])("unlike %s", (variable) => expect(keysOf(variable)).toEqual([]));

  test("and a removed setting stops the start with a message that names the variable", () => {
    expect(problemsIn({ environment: { SECURITY_OAUTH2_PROVIDER_VALIDATE_ISSUER: "false" } })).toEqual([
      'environment variable SECURITY_OAUTH2_PROVIDER_VALIDATE_ISSUER: "security.oauth2.provider.validateIssuer" is no longer ' +
        'supported; use "spring.security.oauth2.resourceserver.jwt.issuer-uri" instead',
    ]);
  });

  test("and a wrong value, an empty one too, is reported with the variable", () => {
    const environment = { SERVER_PORT: "tcp://10.0.0.1:80", ADMIN_ENGINE_URL: "" };
    expect(problemsIn({ environment })).toEqual([
      'environment variable SERVER_PORT: server.port: must be a whole number from 0 to 65535, is "tcp://10.0.0.1:80"',
      expect.stringMatching(/^environment variable ADMIN_ENGINE_URL: admin\.engine\.url: must be .*, is ""$/),
    ]);
  });

  test("and two variables for one setting are refused", () => {
    const environment = { [`${JWT}_ISSUERURI`]: "https://a.example", [`${JWT}_ISSUER_URI`]: "https://a.example" };
    expect(problemsIn({ environment })).toEqual([
      `environment variable ${JWT}_ISSUER_URI: "spring.security.oauth2.resourceserver.jwt.issuer-uri" was already given by environment variable ${JWT}_ISSUERURI`,
    ]);
  });
});

describe("elements of lists", () => {
  const audiences = (environment: Record<string, string>) =>
    settingsOf({ environment })["spring.security.oauth2.resourceserver.jwt.audiences"];

  test.each([
    [{ [`${JWT}_AUDIENCES_0`]: "a" }, ["a"]],
    [{ [`${JWT}_AUDIENCES_1`]: "b", [`${JWT}_AUDIENCES_0`]: "a" }, ["a", "b"]],
    [{ [`${JWT}_AUDIENCES_0_`]: "a" }, ["a"]],
    [{ [`${JWT}_AUDIENCES[0]`]: "a,b" }, ["a,b"]],
    [
      Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`${JWT}_AUDIENCES_${i}`, `a${i}`])),
      Array.from({ length: 11 }, (_, i) => `a${i}`),
    ],
  ])("are set by %j", (environment, expected) => {
    expect(audiences(environment)).toEqual(expected);
  });

  test.each([
    ["a gap", { [`${JWT}_AUDIENCES_0`]: "a", [`${JWT}_AUDIENCES_2`]: "c" }, /AUDIENCES_2: "\S+\[1\]" is missing$/],
    ["no beginning", { [`${JWT}_AUDIENCES_1`]: "b" }, /AUDIENCES_1: "\S+\[0\]" is missing$/],
    [
      "the list and an element",
      { [`${JWT}_AUDIENCES`]: "a", [`${JWT}_AUDIENCES_0`]: "b" },
      /was already given by environment variable \S+AUDIENCES$/,
    ],
    [
      "an element twice",
      { [`${JWT}_AUDIENCES_0`]: "a", [`${JWT}_AUDIENCES[0]`]: "b" },
      /"\S+\[0\]" was already given$/,
    ],
  ])("are refused in %s", (_, environment, message) => {
    expect(problemsIn({ environment })).toEqual([expect.stringMatching(message)]);
  });

  test("exist for every list setting, and for nothing else", () => {
    for (const key of SETTING_KEYS) {
      const named = key.replace("*", "desk");
      const [found] = keysOf(`${variableOf(named)}_0`);
      const other = key.endsWith("*") ? `${named}.0` : undefined;
      expect(found).toBe(settingInfo(key).list ? `${named}[0]` : other);
    }
  });

  test("are taken from arguments and files too", () => {
    const expected = { "admin.api.projection-keys": ["Desk", "Book"] };
    const keys = ["admin.api.projection-keys[0]", "admin.api.projectionKeys[1]"] as const;
    expect(settingsOf({ commandLine: [`--${keys[0]}=Desk`, `--${keys[1]}=Book`] })).toMatchObject(expected);
    expect(settingsOf({ file: `"${keys[1]}": Book\n"${keys[0]}": Desk\n` })).toMatchObject(expected);
    expect(problemsIn({ commandLine: ["--server.port[0]=1"] })).toEqual([
      'command line --server.port[0]: unknown key "server.port[0]"',
    ]);
  });
});
