import { describe, expect, test } from "vitest";
import { authoritiesOf, parseClaimPath, permissionsOf } from "../../../src/auth/token/authority-mapping.ts";
import { openTokenAuthentication } from "../../../src/auth/token/token-authentication.ts";
import type { Permission } from "../../../src/core/principal.ts";

const CLAIMS = {
  authorities: ["A", "B"],
  scope: " openid  A ",
  realm_access: { roles: ["R"] },
  resource_access: { "my.client": { roles: ["C"] }, gateway: { roles: ["G"] } },
  "https://example.com/roles": ["N"],
  "cognito:groups": ["U"],
  mixed: ["A", 1, null, ["B"], "C D"],
  number: 5,
  nothing: null,
  object: { A: true },
};

describe("authoritiesClaim is a path through nested objects", () => {
  test.each([
    ["authorities", ["A", "B"]],
    ["scope", ["openid", "A"]],
    ["realm_access.roles", ["R"]],
    ['resource_access["my.client"].roles', ["C"]],
    ["resource_access['my.client']['roles']", ["C"]],
    ["resource_access.gateway.roles", ["G"]],
    ['["https://example.com/roles"]', ["N"]],
    ["cognito:groups", ["U"]],
    ["mixed", ["A", "C D"]],
    ["number", []],
    ["nothing", []],
    ["nothing.roles", []],
    ["object", []],
    ["missing", []],
    ["missing.roles", []],
    ["scope.length", []],
    ["authorities.0.length", []],
    ["constructor.name", []],
    ["__proto__", []],
  ])("such as %s", (path, expected) => {
    expect(authoritiesOf(CLAIMS, parseClaimPath(path))).toEqual(expected);
  });

  test.each([
    "",
    ".",
    ".a",
    "a.",
    "a..b",
    "a[b]",
    'a["b"',
    'a["b"]c',
    'a.["b"]',
    'a[""]',
    "a b",
    "https://example.com/roles",
    "a]",
  ])("unlike %j", (path) => {
    expect(() => parseClaimPath(path)).toThrow("is not a path to a claim; write names joined by dots");
  });
});

describe("D-AUTH 2: authorities and permissions", () => {
  const mapping: Readonly<Record<string, readonly Permission[]>> = {
    desk: ["HALT_RESUME_TRADING", "CHANGE_RISK_LIMITS"],
    CONTROL_FIX_SESSION: [],
  };

  test.each<[string, string[], Readonly<Record<string, readonly Permission[]>>, Permission[]]>([
    ["an authority grants the permission of its name", ["HALT_RESUME_TRADING", "trader"], {}, ["HALT_RESUME_TRADING"]],
    ["but of exactly its name", ["halt_resume_trading", "HALT_RESUME_TRADING ", "*"], {}, []],
    ["a role may stand for several", ["desk"], mapping, ["HALT_RESUME_TRADING", "CHANGE_RISK_LIMITS"]],
    ["roles are case-sensitive", ["Desk"], mapping, []],
    ["what is not mapped counts by its name", ["POSITION_ADJUSTMENT"], mapping, ["POSITION_ADJUSTMENT"]],
    ["what is mapped does not count by its name", ["CONTROL_FIX_SESSION"], mapping, []],
    ["names of JavaScript mean nothing", ["constructor", "__proto__", "toString"], mapping, []],
  ])("%s", (_, authorities, given, expected) => {
    expect(permissionsOf(authorities, given)).toEqual(new Set(expected));
  });

  test("a mapping to a permission that does not exist stops the start", async () => {
    const authorityMapping = { desk: ["HALT"] as unknown as Permission[] };
    const options = {
      issuerUri: "https://provider.example",
      authorityMapping,
      log: { info() {}, warn() {}, error() {} },
    };
    await expect(openTokenAuthentication(options)).rejects.toThrow('authority "desk": there is no permission "HALT"');
  });
});
