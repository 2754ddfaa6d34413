import { describe, expect, test } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { problemsOf } from "./problems.ts";

const MAPPING = "security.oauth2.provider.authorityMapping";
const LOGIN = "spring.security.oauth2.client";

function mapping(text: string): unknown {
  return parseSettings(text, "application.yaml")[`${MAPPING}.*`];
}

/** Settings that restrict, and would restrict nobody without a value. */
const RESTRICTING = [
  "admin.policy.read-only",
  "admin.policy.stop-only",
  "admin.policy.freeze.windows",
  "admin.policy.two-person.operations",
  "admin.audit.stream-required",
  `${MAPPING}.HALT_RESUME_TRADING`,
  "server.ssl.client-auth",
  "spring.security.oauth2.resourceserver.jwt.audiences",
  "spring.security.oauth2.resourceserver.jwt.issuer-uri",
  `${LOGIN}.provider.desk.issuer-uri`,
];

describe("D-AUTH 2: authorityMapping maps roles to permissions", () => {
  test("to one or several, as a list or as one text", () => {
    const text = `${MAPPING}:\n  desk: HALT_RESUME_TRADING\n  risk: [CHANGE_RISK_LIMITS, position_adjustment]\n  fix: CONTROL_FIX_SESSION, ENABLE_DISABLE_SERVICE\n`;
    expect(mapping(text)).toEqual({
      desk: ["HALT_RESUME_TRADING"],
      risk: ["CHANGE_RISK_LIMITS", "POSITION_ADJUSTMENT"],
      fix: ["CONTROL_FIX_SESSION", "ENABLE_DISABLE_SERVICE"],
    });
  });

  test.each([
    ["Risk-Desk_1", "Risk-Desk_1"],
    ["my.role", "my.role"],
    ['"[my.role]"', "my.role"],
    ['"/Trading/Risk desk"', "/Trading/Risk desk"],
    ["constructor", "constructor"],
  ])("with the role %s in its spelling", (written, role) => {
    expect(mapping(`security.oauth2.provider.authority-mapping:\n  ${written}: POSITION_ADJUSTMENT`)).toEqual({
      [role]: ["POSITION_ADJUSTMENT"],
    });
  });

  test("with roles that differ in case as two", () => {
    expect(mapping(`${MAPPING}: { a: POSITION_ADJUSTMENT, A: CONTROL_FIX_SESSION }`)).toEqual({
      a: ["POSITION_ADJUSTMENT"],
      A: ["CONTROL_FIX_SESSION"],
    });
  });

  test("but an unknown permission is refused with line, role and the known ones", () => {
    expect(problemsOf(`${MAPPING}:\n  desk: HALT_RESUME_TRADING\n  risk: [CHANGE_RISK_LIMITS, HALT]\n`)).toEqual([
      `application.yaml:3: ${MAPPING}.risk: must be one or more of HALT_RESUME_TRADING, CHANGE_RISK_LIMITS, POSITION_ADJUSTMENT, ENABLE_DISABLE_SERVICE, CONTROL_FIX_SESSION, is ["CHANGE_RISK_LIMITS","HALT"]`,
    ]);
  });

  test("but a role that is given twice is refused and names both lines", () => {
    expect(problemsOf(`${MAPPING}.desk: CONTROL_FIX_SESSION\n${MAPPING}:\n  desk: CONTROL_FIX_SESSION\n`)).toEqual([
      `application.yaml:3: "${MAPPING}.desk" was already given on line 1 as "${MAPPING}.desk"`,
    ]);
  });

  test("but a value in place of the map is refused; an empty map is none", () => {
    expect(problemsOf(`${MAPPING}: desk`)).toEqual([
      `application.yaml:1: "${MAPPING}" is a section, not a setting; it holds "${MAPPING}.*"`,
    ]);
    expect(mapping(`${MAPPING}: {}`)).toBeUndefined();
  });
});

describe("Authentication 4: the monitor's login provider is in the same file", () => {
  test("whose issuer and key set are read, while the rest of its section is the monitor's", () => {
    const settings = parseSettings(
      `${LOGIN}:
  registration.keycloak: { client-id: monitor, client-secret: hush, scope: [openid, profile] }
  provider:
    keycloak: { issuer-uri: "https://login.example/desk", user-info-uri: "https://login.example/me" }
    Okta: { jwkSetUri: "https://okta.example/keys" }
`,
      "application.yaml",
    );
    expect(settings[`${LOGIN}.provider.*.issuer-uri`]).toEqual({ keycloak: "https://login.example/desk" });
    expect(settings[`${LOGIN}.provider.*.jwk-set-uri`]).toEqual({ Okta: "https://okta.example/keys" });
    expect(JSON.stringify(settings)).not.toContain("hush");
  });

  test("whose address is refused without the password in it if it is none", () => {
    const [problem] = problemsOf(`${LOGIN}.provider.keycloak.issuer-uri: https://alice:hush@login.example`);
    expect(problem).toContain(`application.yaml:1: ${LOGIN}.provider.keycloak.issuer-uri: must be an https:// URL`);
    expect(problem).not.toContain("hush");
  });
});

describe("D-UAC 20: policies fail closed", () => {
  const PATHS = "admin.policy.paths";

  test.each([
    [
      "a user without a value, whose paths are all commented out",
      `${PATHS}:\n  desk:\n    # - Account[GOLD]\n`,
      "desk: must be a list of projection paths, is null",
    ],
    [
      "a wildcard, which would restrict nobody",
      `${PATHS}: {"*": "Account[GOLD]"}`,
      '*: "*" is not a name, is "Account[GOLD]"',
    ],
  ])("%s, is refused", (_, text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(`${PATHS}.${problem}`)]);
  });

  test.each(RESTRICTING)("%s without a value, as where its lines are commented out, is refused", (key) => {
    const [problem, ...more] = problemsOf(`${key}:\n  # - alice\n`);
    expect([problem, more]).toEqual([expect.stringContaining(`application.yaml:1: ${key}: must be `), []]);
    expect(problem).toMatch(/, is null$/);
  });

  test.each([...RESTRICTING, `${PATHS}.desk`])(
    "%s with an empty text, as of a placeholder without a value, is refused",
    (key) => {
      for (const written of ['""', `"\${NOT_SET:}"`])
        expect(problemsOf(`${key}: ${written}\n`)).toEqual([
          expect.stringMatching(/^application\.yaml:1: .*: must be .*, is "(\$\{NOT_SET:\})?"$/),
        ]);
    },
  );

  test.each([
    ["admin.policy.two-person.within: 10m", "admin.policy.two-person.operations"],
    ["admin.policy.two-person.store: nats", "admin.policy.two-person.operations"],
    ["admin.policy.freeze.time-zone: Europe/Berlin", "admin.policy.freeze.windows"],
  ])("%s alone is refused", (text, needed) => {
    const [key = ""] = text.split(":");
    expect(problemsOf(text)).toEqual([
      `application.yaml:1: ${key}: restricts nobody without ${needed}; give that too, or remove this`,
    ]);
  });

  test.each([
    ["admin.policy", '"admin.policy.read-only" or "admin.policy.stop-only"'],
    ["admin.policy.two-person", '"admin.policy.two-person.operations"'],
    ["admin.policy.freeze", '"admin.policy.freeze.windows"'],
    ["admin.policy.paths", '"admin.policy.paths.*"'],
    ["server.ssl", '"server.ssl.client-auth"'],
  ])("the section %s with all lines commented out is refused; an empty map is not", (section, needed) => {
    expect(problemsOf(`${section}:\n  # all of it\n`)).toEqual([
      `application.yaml:1: "${section}" is empty, and would restrict nobody; remove it, or give ${needed} a value`,
    ]);
    expect(parseSettings(`${section}: {}`, "application.yaml")).toEqual(parseSettings("", "application.yaml"));
  });

  test("an empty list lets the user act on no path", () => {
    expect(parseSettings(`${PATHS}: { desk: [] }`, "application.yaml")[`${PATHS}.*`]).toEqual({ desk: [] });
  });
});
