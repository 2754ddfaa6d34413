import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { SETTING_KEYS } from "../../src/config/settings.ts";
import { problemsOf } from "./problems.ts";
import { beside } from "./setting-cases.ts";

const FILE = "/etc/gateway/application.yaml";

const VALUES = {
  "server.port": "1",
  "admin.policy.read-only": "true",
  "admin.policy.stop-only": "[monitor]",
  "admin.policy.freeze.windows": "'Mon-Fri 09:25-09:35'",
  "admin.policy.freeze.time-zone": "Europe/Berlin",
  "admin.policy.paths.*": "'Account[GOLD]'",
  "admin.policy.two-person.operations": "resumeTrading",
  "admin.policy.two-person.within": "1m",
  "admin.policy.two-person.store": "nats",
  "server.address": "localhost",
  "server.ssl.enabled": "true",
  "server.ssl.key-store": "gateway.p12",
  "server.ssl.key-store-password": "hush",
  "server.ssl.key-store-type": "JKS",
  "server.ssl.key-alias": "gateway",
  "server.ssl.key-password": "hush-hush",
  "server.ssl.certificate": "gateway.pem",
  "server.ssl.certificate-private-key": "gateway.key",
  "server.ssl.enabled-protocols": "TLSv1.3",
  "server.ssl.client-auth": "need",
  "server.ssl.trust-store": "clients.p12",
  "server.ssl.trust-store-password": "hush",
  "server.ssl.trust-store-type": "PKCS12",
  "server.ssl.trust-certificate": "clients.pem",
  "admin.api.allow-basic-without-tls": "true",
  "management.server.port": "2",
  "management.server.address": "localhost",
  "gateway.monitor.url": "http://monitor:8080",
  "gateway.pages.host": "console.example",
  "gateway.console.enabled": "true",
  "gateway.console.name": "LONDON PROD",
  "gateway.console.colour": "crimson",
  "gateway.monitor.tls.ca": "ca.pem",
  "gateway.monitor.connect-timeout": "1s",
  "gateway.monitor.response-timeout": "1m",
  "server.trusted-proxies": "10.0.0.0/8",
  "server.forwarded-header": "Forwarded",
  "admin.api.request-log": "false",
  "admin.api.enabled": "false",
  "admin.api.max-body-size": "2MB",
  "admin.api.unknown-fields": "ignore",
  "admin.api.projection-keys": "Desk",
  "admin.engine.transport": "in-process",
  "admin.engine.request-timeout": "1s",
  "admin.engine.installation": "i.yaml",
  "admin.engine.fix-port": "9880",
  "admin.engine.fix-host": "::1",
  "admin.engine.url": "ws://engine:8989",
  "admin.engine.token": "t0ken",
  "admin.engine.credentials": "engine.creds",
  "admin.engine.tls.ca": "ca.pem",
  "admin.engine.tls.certificate": "gateway.pem",
  "admin.engine.tls.private-key": "gateway.key",
  "admin.shared.nats.url": "nats://shared:4222",
  "admin.shared.nats.token": "t0ken",
  "admin.shared.nats.credentials": "shared.creds",
  "admin.shared.nats.tls.ca": "ca.pem",
  "admin.shared.nats.tls.certificate": "gateway.pem",
  "admin.shared.nats.tls.private-key": "gateway.key",
  "admin.audit.file": "audit.jsonl",
  "admin.audit.max-file-size": "1MB",
  "admin.audit.max-files": "7",
  "admin.audit.stream": "audit",
  "admin.audit.stream-required": "true",
  "admin.gateway.name": "gateway-7",
  "admin.api.max-risk-commands": "77",
  "admin.api.extensions": "false",
  "security.oauth2.authenticationType": "LDAP",
  "security.oauth2.provider.name": "keycloak",
  "security.oauth2.provider.authoritiesClaim": "realm_access.roles",
  "security.oauth2.provider.authorityMapping.*": "POSITION_ADJUSTMENT",
  "security.oauth2.provider.clock-skew": "5s",
  "security.oauth2.provider.key-lifetime": "1h",
  "spring.security.oauth2.resourceserver.jwt.issuer-uri": "https://login.example",
  "spring.security.oauth2.resourceserver.jwt.jwk-set-uri": "https://login.example/keys",
  "spring.security.oauth2.resourceserver.jwt.audiences": "desk",
  "spring.security.oauth2.resourceserver.jwt.jws-algorithms": "ES256",
  "spring.security.oauth2.resourceserver.jwt.principal-claim-name": "name",
  "spring.security.oauth2.client.provider.*.issuer-uri": "https://login.example",
  "spring.security.oauth2.client.provider.*.jwk-set-uri": "https://login.example/keys",
  "spring.config.import": "",
  "admin.settings.prefix": "spring",
  "server.max-connections": "77",
  "server.header-timeout": "7s",
  "server.request-timeout": "7s",
  "server.keep-alive-timeout": "7s",
  "server.stall-timeout": "7s",
  "server.max-http-request-header-size": "7KB",
  "server.max-url-length": "777",
  "server.shutdown.drain-time": "7s",
  "admin.lanes.stop.capacity": "7",
  "admin.lanes.change.capacity": "7",
  "admin.lanes.read.capacity": "7",
  "admin.lanes.user-share": "7",
  "admin.lanes.read.turn": "7ms",
  "admin.lanes.read.max-large": "7",
  "security.uac.directory": "uac",
  "security.uac.ldap.ca": "ca.pem",
  "security.uac.ldap.reload-interval": "2m",
  "security.uac.ldap.stop-lifetime": "1h",
  "security.uac.ldap.timeout": "3s",
  "security.uac.max-login-delay": "0s",
} as const;

/** What stands for `*` in a key; with one digit, as it has only one spelling. */
const NAME = "7";

/** A segment in any spelling: each letter in either case, and any separator, or none, between two characters. */
function spelling(segment: string): fc.Arbitrary<string> {
  const letters = [...segment.replace(/[-_]/g, "")].map((letter, index) =>
    fc
      .tuple(fc.constantFrom(letter.toLowerCase(), letter.toUpperCase()), fc.constantFrom("", "", "-", "_"))
      .map(([cased, separator]) => (index === 0 ? cased : separator + cased)),
  );
  return fc.tuple(...letters).map((parts) => parts.join(""));
}

function spelledKey(key: string): fc.Arbitrary<readonly string[]> {
  return fc.tuple(...key.split(".").map(spelling));
}

/** The segments as YAML: `nested` says at which dots a new level begins. */
function yaml(segments: readonly string[], nested: readonly boolean[], value: string): string {
  const text = segments.reduce((line, segment, index) => {
    const level = nested.slice(0, index).filter(Boolean).length;
    return nested[index - 1] ? `${line}:\n${"  ".repeat(level)}${segment}` : `${line}.${segment}`;
  });
  return `${text}: ${value}\n`;
}

describe("names are relaxed, nested and dotted keys are the same", () => {
  test.each(SETTING_KEYS)("so that %s in any spelling and nesting gives what the documented key gives", (key) => {
    const written = key.replace("*", NAME);
    const expected = parseSettings(`${written}: ${VALUES[key]}${beside(key)}`, FILE);
    const nesting = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(spelledKey(written), nesting, (segments, nested) => {
        expect(parseSettings(yaml(segments, nested, VALUES[key]) + beside(key), FILE)).toEqual(expected);
      }),
    );
  });

  test("but dots keep their place: a segment is not joined with the next", () => {
    expect(problemsOf("serverport: 1")).toEqual([
      'application.yaml:1: unknown key "serverport"; did you mean "server.port"?',
    ]);
  });

  test("so that the same key in another spelling is refused and names both lines", () => {
    expect(problemsOf("admin.api.max-body-size: 1MB\nadmin:\n  api:\n    max_body_size: 2MB\n")).toEqual([
      'application.yaml:4: "admin.api.max_body_size" was already given on line 1 as "admin.api.max-body-size"',
    ]);
  });

  test("so that the same key dotted and nested is refused, even with equal values", () => {
    expect(problemsOf("server:\n  port: 1\nserver.port: 1\n")).toEqual([
      'application.yaml:3: "server.port" was already given on line 2 as "server.port"',
    ]);
  });

  test("so that a third occurrence names the first line too", () => {
    expect(problemsOf("server.port: 1\nserver.PORT: 2\nServer.port: 3\n")).toEqual([
      'application.yaml:2: "server.PORT" was already given on line 1 as "server.port"',
      'application.yaml:3: "Server.port" was already given on line 1 as "server.port"',
    ]);
  });

  test("so that a key that is given as null and again is refused", () => {
    expect(problemsOf("server.port:\nServer.Port: 1\n")).toHaveLength(1);
  });
});

describe("D-SET 1: an unknown key is refused with the nearest known one", () => {
  test.each([
    ["server.prot", "server.port"],
    ["sever.port", "server.port"],
    ["admin.api.enable", "admin.api.enabled"],
    ["ADMIN.API.UNKNOWN_FIELD", "admin.api.unknown-fields"],
    ["admin.engine.request-timout", "admin.engine.request-timeout"],
    ["security.oauth2.authentication-typ", "security.oauth2.authenticationType"],
    ["server.port.x", "server.port"],
    ["authenticationType", "security.oauth2.authenticationType"],
    ["security.authenticationType", "security.oauth2.authenticationType"],
  ])("%s: did you mean %s?", (key, nearest) => {
    expect(problemsOf(`\n${key}: 1`)).toEqual([`application.yaml:2: unknown key "${key}"; did you mean "${nearest}"?`]);
  });

  test.each(["port", "a", "__proto__", "constructor"])(
    "but %s is far from every key, so nothing is suggested",
    (key) => {
      expect(problemsOf(`${key}: 1`)).toEqual([`application.yaml:1: unknown key "${key}"`]);
    },
  );

  test.each([
    "spring.security.oauth2.authorizationserver.issuer",
    "spring.security.oauth2.provider.name",
    "server.servlet.session.timeout",
    "logging.level",
  ])("D-SET 2: such as %s, which the monitor's own file may hold", (key) => {
    expect(problemsOf(`${key}: 1`)).toEqual([`application.yaml:1: unknown key "${key}"`]);
  });

  test("even if it has no value, and its value is not printed", () => {
    expect(problemsOf("flavour:\npassword: swordfish\n")).toEqual([
      'application.yaml:1: unknown key "flavour"',
      'application.yaml:2: unknown key "password"',
    ]);
  });

  test("and a list of maps under it is one problem", () => {
    expect(problemsOf("users:\n  - name: a\n    password: b\n  - name: c\n")).toEqual([
      'application.yaml:1: unknown key "users"',
    ]);
  });

  test("and named legibly, if it is empty or has a line break", () => {
    expect(problemsOf('"": 1\n"a\\nb": 1\n')).toEqual([
      'application.yaml:1: unknown key ""',
      'application.yaml:2: unknown key "a\\nb"',
    ]);
  });

  test("such as those that a map in place of a value makes", () => {
    expect(problemsOf("admin.api.projection-keys:\n  Desk: 1\n")).toEqual([
      'application.yaml:2: unknown key "admin.api.projection-keys.Desk"',
    ]);
  });

  test("and a value in place of a section names the keys of the section", () => {
    expect(problemsOf("security.uac.ldap: a.pem")).toEqual([
      'application.yaml:1: "security.uac.ldap" is a section, not a setting; it holds "security.uac.ldap.ca", ' +
        '"security.uac.ldap.reload-interval", "security.uac.ldap.stop-lifetime", "security.uac.ldap.timeout"',
    ]);
  });
});

describe("Authentication 5: removed keys stop the start and name the replacement", () => {
  test.each([
    ["security.oauth2.provider.audience", "audiences"],
    ["security.oauth2.provider.validateIssuer", "issuer-uri"],
    ["security.oauth2.provider.validate-issuer", "issuer-uri"],
    ["Security.OAuth2.Provider.VALIDATE_ISSUER", "issuer-uri"],
  ])("for %s", (key, replacement) => {
    for (const value of ["true", "[a, b]", ""]) {
      expect(problemsOf(`${key}: ${value}`)).toEqual([
        `application.yaml:1: "${key}" is no longer supported; use "spring.security.oauth2.resourceserver.jwt.${replacement}" instead`,
      ]);
    }
  });
});

describe("D-SET 1: all problems are reported in one go", () => {
  test("sorted by line, whatever their kind", () => {
    const text = [
      "server:",
      "  port: 70000",
      "  prot: 1",
      "security.oauth2.provider.audience: x",
      "admin.api.enabled: maybe",
      "Server.Address: localhost",
      "server.address: localhost",
      "admin.engine.request-timeout: 0",
    ].join("\n");
    expect(problemsOf(text)).toEqual([
      'application.yaml:2: server.port: must be a whole number from 0 to 65535, is "70000"',
      'application.yaml:3: unknown key "server.prot"; did you mean "server.port"?',
      expect.stringMatching(/^application\.yaml:4: "security\.oauth2\.provider\.audience" is no longer supported/),
      'application.yaml:5: admin.api.enabled: must be true or false, is "maybe"',
      'application.yaml:7: "server.address" was already given on line 6 as "Server.Address"',
      'application.yaml:8: admin.engine.request-timeout: must be a duration from 1ms to 1h, is "0"',
    ]);
  });

  test("and by column within a line", () => {
    expect(problemsOf("server: { port: x, prot: 1 }")).toEqual([
      'application.yaml:1: server.port: must be a whole number from 0 to 65535, is "x"',
      'application.yaml:1: unknown key "server.prot"; did you mean "server.port"?',
    ]);
  });
});
