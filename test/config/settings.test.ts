import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { SETTING_KEYS, type Settings, settingInfo } from "../../src/config/settings.ts";
import type { Cases } from "./case-kinds.ts";
import { problemsOf } from "./problems.ts";
import { beside, CASES, type SingleKey } from "./setting-cases.ts";

const FILE = "/etc/gateway/application.yaml";

const DEFAULTS: Settings = {
  "server.port": 8988,
  "server.address": "127.0.0.1",
  "server.ssl.enabled-protocols": ["TLSv1.2", "TLSv1.3"],
  "server.ssl.client-auth": "none",
  "admin.api.allow-basic-without-tls": false,
  "management.server.address": "127.0.0.1",
  "gateway.monitor.connect-timeout": 5000,
  "gateway.monitor.response-timeout": 60_000,
  "server.trusted-proxies": [],
  "server.forwarded-header": "X-Forwarded-For",
  "admin.api.enabled": true,
  "admin.api.request-log": true,
  "admin.api.max-body-size": 131_072,
  "admin.api.max-risk-commands": 1_000,
  "admin.api.extensions": true,
  "admin.api.unknown-fields": "reject",
  "admin.api.projection-keys": [],
  "admin.engine.transport": "in-process",
  "admin.engine.request-timeout": 10_000,
  "admin.engine.fix-host": "127.0.0.1",
  "admin.audit.max-file-size": 67_108_864,
  "admin.audit.stream-required": false,
  "security.oauth2.provider.authoritiesClaim": "authorities",
  "security.oauth2.provider.clock-skew": 60_000,
  "security.oauth2.provider.key-lifetime": 43_200_000,
  "spring.security.oauth2.resourceserver.jwt.audiences": [],
  "spring.security.oauth2.resourceserver.jwt.jws-algorithms": ["RS256"],
  "spring.security.oauth2.resourceserver.jwt.principal-claim-name": "sub",
  "spring.config.import": [],
  "admin.settings.prefix": "spring",
  "server.max-connections": 8192,
  "server.header-timeout": 10_000,
  "server.request-timeout": 60_000,
  "server.keep-alive-timeout": 75_000,
  "server.stall-timeout": 120_000,
  "server.max-http-request-header-size": 16_384,
  "server.max-url-length": 8192,
  "server.shutdown.drain-time": 2000,
  "admin.lanes.stop.capacity": 64,
  "admin.lanes.change.capacity": 64,
  "admin.lanes.read.capacity": 256,
  "admin.lanes.user-share": 50,
  "admin.lanes.read.turn": 1,
  "admin.lanes.read.max-large": 8,
  "admin.policy.read-only": false,
  "admin.policy.stop-only": false,
  "admin.policy.freeze.windows": [],
  "admin.policy.freeze.time-zone": "UTC",
  "admin.policy.two-person.within": 300_000,
  "admin.policy.two-person.store": "memory",
  "security.uac.ldap.reload-interval": 60_000,
  "security.uac.ldap.stop-lifetime": 43_200_000,
  "security.uac.ldap.timeout": 5000,
  "security.uac.directory": "/etc/gateway",
  "security.uac.max-login-delay": 5000,
};

describe("every key of the table has its values", () => {
  for (const [key, { valid, invalid, message }] of Object.entries(CASES) as [SingleKey, Cases][]) {
    test.each(valid)(`${key}: %s is %j`, (text, value) => {
      const defaults = parseSettings(beside(key), FILE);
      expect(parseSettings(`${key}: ${text}${beside(key)}`, FILE)).toEqual({ ...defaults, [key]: value });
    });
    test.each(invalid)(`${key}: %s is refused with the values that are allowed`, (text) => {
      const [problem, ...others] = problemsOf(`# first line\n${key}: ${text}${beside(key)}`);
      expect(others).toEqual([]);
      const shown = settingInfo(key).secret ? "" : ", is ";
      expect(problem?.startsWith(`application.yaml:2: ${key}: ${message}${shown}`)).toBe(true);
    });
  }
});

describe("Enabling; D-HTTP 15, D-HTTP 6, D-ENG 1: defaults", () => {
  test("hold for an empty file, comments only and a lone null", () => {
    for (const text of ["", "\n", "# nothing yet\n", "---\n", "~"]) expect(parseSettings(text, FILE)).toEqual(DEFAULTS);
  });

  const keysThatMayBeNull = SETTING_KEYS.filter((key) => settingInfo(key).restricts !== true);

  test.each(keysThatMayBeNull.map((key) => key.replace("*", "name")))("%s: null is not set", (key) => {
    for (const text of ["null", "~", ""]) expect(parseSettings(`${key}: ${text}`, FILE)).toEqual(DEFAULTS);
  });

  test("hold for an empty section", () => {
    expect(parseSettings("server:\nadmin: {}\nsecurity:\n  oauth2:\n", FILE)).toEqual(DEFAULTS);
  });

  test("D-GATE 7: have the gateway listen on loopback", () => {
    expect(parseSettings("", FILE)["server.address"]).toBe("127.0.0.1");
  });

  test("have paths relative to the working directory without a folder in the file name", () => {
    expect(parseSettings("", "application.yaml")["security.uac.directory"]).toBe(resolve("."));
  });
});

describe("messages quote the value", () => {
  test("such as a word where a number is expected", () => {
    expect(problemsOf("server.address: localhost\n\nserver.port: abc")).toEqual([
      'application.yaml:3: server.port: must be a whole number from 0 to 65535, is "abc"',
    ]);
  });

  test("but not that of a secret", () => {
    expect(problemsOf("admin.engine.token: [hush, hush]")).toEqual([
      "application.yaml:1: admin.engine.token: must be text that is not empty",
    ]);
    expect(problemsOf("admin.engine.url: ws://alice:hush@engine").join()).toMatch(/, is "ws:\/\/\*\*\*@engine"$/);
  });

  test("and that of a list", () => {
    expect(problemsOf("admin.api.projection-keys:\n  - Desk\n  - book\n")).toEqual([
      'application.yaml:1: admin.api.projection-keys: must be a list of projection keys (a capital letter, then letters and digits), is ["Desk","book"]',
    ]);
  });
});
