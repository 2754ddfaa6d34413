import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindSettings } from "../../src/config/bind.ts";
import { findByKey, type PropertySource } from "../../src/config/property.ts";
import { problemsIn, settingsOf, sourcesOf } from "./sources.ts";

/** Settings with two values each, by key and by variable. */
const SAMPLES = [
  ["server.port", "SERVER_PORT", "1", "2"],
  ["admin.api.max-body-size", "ADMIN_API_MAXBODYSIZE", "1KB", "2KB"],
  ["admin.api.projection-keys", "ADMIN_API_PROJECTIONKEYS", "Desk", "Book,Leg"],
  ["security.oauth2.provider.name", "SECURITY_OAUTH2_PROVIDER_NAME", "okta", "keycloak"],
  ["security.uac.directory", "SECURITY_UAC_DIRECTORY", "/a", "/b"],
  ["admin.engine.token", "ADMIN_ENGINE_TOKEN", "one", "two"],
] as const;

type Sample = (typeof SAMPLES)[number];

function tree(key: string, value: string): PropertySource {
  const properties = [{ key, value, origin: { source: "config tree", file: `/run/secrets/${key}` } as const }];
  return { name: "config tree /run/secrets", properties, strict: false, find: findByKey(properties) };
}

const EMPTY = sourcesOf({});

/** The sources in their order, each with one setting when asked for. */
const SOURCES: readonly (readonly [string, (sample: Sample, value: string) => PropertySource | undefined])[] = [
  ["command line", ([key], value) => sourcesOf({ commandLine: [`--${key}=${value}`] })[0]],
  ["environment", ([, variable], value) => sourcesOf({ environment: { [variable]: value } })[1]],
  ["config tree", ([key], value) => tree(key, value)],
  ["file", ([key], value) => sourcesOf({ file: `${key}: "${value}"` })[2]],
];

const PAIRS = SOURCES.flatMap(([higher, first], index) =>
  SOURCES.slice(index + 1).map(([lower, second]) => [higher, lower, first, second] as const),
);

function bound(...sources: readonly (PropertySource | undefined)[]) {
  return bindSettings(
    sources.map((source, index) => source ?? EMPTY[index] ?? tree("x", "")),
    "/etc",
  ).settings;
}

describe("D-SET 3: overrides in Spring's order", () => {
  test.each(PAIRS)("put %s before %s, key by key", (_higher, _lower, first, second) => {
    const pick = fc.constantFrom(...SAMPLES);
    fc.assert(
      fc.property(pick, pick, fc.boolean(), (one, other, swap) => {
        const [value, overridden] = swap ? [one[3], one[2]] : [one[2], one[3]];
        const settings = bound(first(one, value), second(one, overridden));
        expect(settings).toEqual(bound(first(one, value)));
        expect(settings).not.toEqual(bound(second(one, overridden)));
        if (one === other) return;
        const both = bound(first(one, value), second(other, other[3]));
        expect(both[one[0]]).toEqual(bound(first(one, value))[one[0]]);
        expect(both[other[0]]).toEqual(bound(second(other, other[3]))[other[0]]);
      }),
    );
  });

  test("replace lists as a whole, whichever way they are written", () => {
    const file = "admin.api.projection-keys: [Desk, Book, Leg]";
    const environment = { ADMIN_API_PROJECTION_KEYS_0: "Region" };
    expect(settingsOf({ environment, file })["admin.api.projection-keys"]).toEqual(["Region"]);
    const commandLine = ["--admin.api.projection-keys="];
    expect(settingsOf({ commandLine, environment, file })["admin.api.projection-keys"]).toEqual([]);
  });

  test("merge values by name", () => {
    const key = "security.oauth2.provider.authorityMapping";
    const file = `${key}: { desk: CONTROL_FIX_SESSION, risk: POSITION_ADJUSTMENT }`;
    const commandLine = [`--${key}.risk=CHANGE_RISK_LIMITS`];
    expect(settingsOf({ commandLine, file })[`${key}.*`]).toEqual({
      desk: ["CONTROL_FIX_SESSION"],
      risk: ["CHANGE_RISK_LIMITS"],
    });
  });

  test("apply in another spelling too, and an overridden value is not checked", () => {
    const given = { commandLine: ["--admin.api.MAX_BODY_SIZE=3B"], file: "admin.api.maxBodySize: huge" };
    expect(settingsOf(given)).toMatchObject({ "admin.api.max-body-size": 3 });
  });

  test("do not come from null in the file", () => {
    expect(settingsOf({ environment: { SERVER_PORT: "7" }, file: "server.port:" })).toMatchObject({ "server.port": 7 });
  });
});

describe("D-SET 3: settings on the command line", () => {
  test("may have an empty value, or any other", () => {
    const commandLine = ["--admin.engine.token=a=b c\nd", "--admin.api.projection-keys="];
    expect(settingsOf({ commandLine })).toMatchObject({
      "admin.engine.token": "a=b c\nd",
      "admin.api.projection-keys": [],
    });
  });

  test("are refused with an unknown key, which names the nearest one and never the value", () => {
    expect(problemsIn({ commandLine: ["--server.prot=hush"] })).toEqual([
      'command line --server.prot: unknown key "server.prot"; did you mean "server.port"?',
    ]);
  });

  test("are refused if they come twice", () => {
    expect(problemsIn({ commandLine: ["--server.port=1", "--Server.Port=1"] })).toEqual([
      'command line --Server.Port: "Server.Port" was already given by command line --server.port',
    ]);
  });

  test.each(["--server.port", "server.port=hush", "-server.port=hush", "--=hush", "hush", ""])(
    "do not include %j; its value is not shown",
    (argument) => {
      const [problem, ...others] = problemsIn({ commandLine: [argument] });
      expect(others).toEqual([]);
      expect(problem).toMatch(/^command line: .*--key=value/);
      expect(problem).not.toContain("hush");
    },
  );
});

test("are checked together with all other sources, in their order", () => {
  const given = {
    commandLine: ["--server.prot=1"],
    environment: { SERVER_PORT: "x" },
    file: "admin.api.enabled: maybe\nnonsense: 1\n",
  };
  expect(problemsIn(given)).toEqual([
    expect.stringMatching(/^command line --server\.prot: unknown key/),
    expect.stringMatching(/^environment variable SERVER_PORT: server\.port: must be/),
    expect.stringMatching(/^application\.yaml:1: admin\.api\.enabled: must be/),
    expect.stringMatching(/^application\.yaml:2: unknown key "nonsense"/),
  ]);
});
