// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of settings look like those of templates
import { describe, expect, test } from "vitest";
import { problemsIn, settingsOf } from "./sources.ts";

/** What a value with placeholders becomes. */
function resolved(value: string, environment: Record<string, string> = {}): string | undefined {
  const file = `admin.engine.token: ${JSON.stringify(value)}\nsecurity.oauth2.provider.name: okta\n`;
  return settingsOf({ environment, file })["admin.engine.token"];
}

function refused(value: string, environment: Record<string, string> = {}): string {
  return problemsIn({ environment, file: `admin.engine.token: ${JSON.stringify(value)}` }).join("\n");
}

const ENVIRONMENT = {
  TOKEN: "t0ken",
  EMPTY: "",
  MY_HOST_NAME: "joined",
  MY_HOSTNAME: "removed",
  OUTER: "<${TOKEN}>",
  WHICH: "TOKEN",
};

describe("placeholders are replaced as by Spring", () => {
  test.each([
    ["${TOKEN}", "t0ken"],
    ["a${TOKEN}b${TOKEN}c", "at0kenbt0kenc"],
    ["${token}", "t0ken"],
    ["${security.oauth2.provider.name}", "okta"],
    ["${security.OAuth2.provider.NAME}", "okta"],
    ["${my.host-name}", "removed"],
    ["${my.host.name}", "joined"],
    ["${NONE:default}", "default"],
    ["[${NONE:}]", "[]"],
    ["[${EMPTY:default}]", "[]"],
    ["${NONE:http://a:1/b}", "http://a:1/b"],
    ["${NONE:${TOKEN}}", "t0ken"],
    ["${NONE:${NEITHER:x}y}", "xy"],
    ["${NONE:{a}}", "{a}"],
    ["${${WHICH}}", "t0ken"],
    ["${${NONE:TOKEN}:z}", "t0ken"],
    ["${OUTER}", "<t0ken>"],
    ["\\${TOKEN}", "${TOKEN}"],
    ["\\${${TOKEN}", "${t0ken"],
    ["$TOKEN {TOKEN} $ {TOKEN} }", "$TOKEN {TOKEN} $ {TOKEN} }"],
    ["C:\\dir\\${TOKEN:x}", "C:\\dir${TOKEN:x}"],
  ])("in %s", (value, expected) => {
    expect(resolved(value, ENVIRONMENT)).toBe(expected);
  });

  test("in every source, in lists, and in names of folders", () => {
    const settings = settingsOf({
      commandLine: ["--server.port=${PORT}"],
      environment: { PORT: "81", SERVER_ADDRESS: "${HOST:localhost}", BASE: "/opt" },
      file: "admin.api.projection-keys: [Desk, '${KEY:Book}']\nadmin.audit.file: ${BASE}/audit.jsonl\nadmin.api.enabled: ${ON:false}",
    });
    expect(settings).toMatchObject({
      "server.port": 81,
      "server.address": "localhost",
      "admin.api.projection-keys": ["Desk", "Book"],
      "admin.audit.file": "/opt/audit.jsonl",
      "admin.api.enabled": false,
    });
  });

  test("by name, in the order of the sources", () => {
    const file = "security.oauth2.provider.name: from-file\nadmin.engine.token: ${security.oauth2.provider.name}";
    expect(settingsOf({ file })["admin.engine.token"]).toBe("from-file");
    const environment = { SECURITY_OAUTH2_PROVIDER_NAME: "from-environment" };
    expect(settingsOf({ environment, file })["admin.engine.token"]).toBe("from-environment");
    const commandLine = ["--security.oauth2.provider.name=from-argument"];
    expect(settingsOf({ commandLine, environment, file })["admin.engine.token"]).toBe("from-argument");
  });

  test("but not in an overridden value", () => {
    expect(settingsOf({ commandLine: ["--server.port=1"], file: "server.port: ${NONE}" })["server.port"]).toBe(1);
  });

  test("but not by what every object inherits", () => {
    expect(refused("${constructor}")).toContain("no value for ${constructor}");
  });
});

describe("D-SET 4: placeholders that cannot be replaced stop the start", () => {
  test("such as an unresolvable one: the message names it, its place and what to do", () => {
    expect(problemsIn({ file: "\nserver.port: 1${PORT}" })).toEqual([
      "application.yaml:2: server.port: no value for ${PORT}: set an environment variable or property of that name, or write ${PORT:default}",
    ]);
    expect(problemsIn({ environment: { SERVER_PORT: "${PORT}" } })[0]).toMatch(
      /^environment variable SERVER_PORT: .*\$\{PORT\}/,
    );
    expect(problemsIn({ commandLine: ["--server.port=${PORT}"] })[0]).toMatch(
      /^command line --server\.port: .*\$\{PORT\}/,
    );
  });

  test.each([
    ["itself", "${admin.engine.token}", {}, "${admin.engine.token} -> ${admin.engine.token}"],
    ["two", "${A}", { A: "${B}", B: "${A}" }, "${A} -> ${B} -> ${A}"],
    ["through a default", "${A}", { A: "${NONE:${A}}" }, "${A} -> ${A}"],
  ])("such as a circle: %s", (_, value, environment, circle) => {
    expect(refused(value, environment)).toContain(`placeholders go in a circle: ${circle}`);
  });

  test.each(["${TOKEN", "a ${b ${TOKEN}", "${NONE:{}"])(
    "such as one that is not closed: %s; the text may be secret and is not shown",
    (value) => {
      expect(refused(value, ENVIRONMENT)).toBe(
        'application.yaml:1: admin.engine.token: a placeholder "${" is not closed; write "\\${" where no placeholder is intended',
      );
    },
  );

  test("such as a list within a text", () => {
    const file = "admin.api.projection-keys: [Desk]\nadmin.engine.token: ${admin.api.projection-keys}";
    expect(problemsIn({ file })).toEqual([
      "application.yaml:2: admin.engine.token: ${admin.api.projection-keys} (application.yaml:1) is a list, which cannot stand in a text",
    ]);
  });

  test("such as values that multiply, before they fill the memory", () => {
    const environment = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [`L${level}`, level === 0 ? "x" : `\${L${level - 1}}\${L${level - 1}}`]),
    );
    expect(refused("${L39}", environment)).toContain("more than 1000 placeholders");
  });

  test("and what a placeholder brought in is not shown when the value is wrong", () => {
    expect(problemsIn({ environment: { SECRET: "hush" }, file: "server.port: ${SECRET}" })).toEqual([
      'application.yaml:1: server.port: must be a whole number from 0 to 65535, is "${SECRET}"',
    ]);
  });
});
