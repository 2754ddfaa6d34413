import { type SettingKey, settingInfo } from "../../src/config/settings.ts";
import { A_CAPACITY, A_FLAG, A_PATH, A_PORT, A_WEB_ADDRESS, AN_ADDRESS, type Cases, SOME_TEXT } from "./case-kinds.ts";
import { MONITOR_CASES } from "./monitor-cases.ts";
import { POLICY_CASES } from "./policy-cases.ts";
import { SERVER_CASES } from "./server-cases.ts";

/** Settings that hold values by name have tests of their own. */
export type SingleKey = Exclude<SettingKey, `${string}*${string}`>;

/** What has to be given beside a setting, as a line of the file: that of which it says more. */
export function beside(key: SettingKey): string {
  const whole = settingInfo(key).partOf;
  return whole === undefined ? "" : `\n${whole}: ${CASES[whole as SingleKey].valid[0]?.[0]}`;
}

/** The cases of every setting with one value. */
export const CASES: Readonly<Record<SingleKey, Cases>> = {
  ...SERVER_CASES,
  "admin.api.allow-basic-without-tls": A_FLAG,
  "admin.api.request-log": A_FLAG,
  "admin.api.extensions": A_FLAG,
  "gateway.pages.host": {
    valid: [
      ["console.example", "console.example"],
      ["localhost", "localhost"],
    ],
    invalid: ["https://console.example", "console.example:8988", "10.0.0.1", "'[::1]'", "a b", '""'],
    message: "must be a host name",
  },
  "gateway.console.enabled": A_FLAG,
  "gateway.console.name": {
    valid: [
      ["LONDON PROD", "LONDON PROD"],
      ["Zürich <2>", "Zürich <2>"],
    ],
    invalid: ['""', "x".repeat(41), '"a\u200eb"', '"a\\nb"'],
    message: "must be text of up to 40 characters",
  },
  "gateway.console.colour": {
    valid: [
      ["crimson", "crimson"],
      ["RebeccaPurple", "rebeccapurple"],
      ['"#B3261E"', "#b3261e"],
    ],
    invalid: ["redd", '"#b32"', '"#b3261"', "b3261e", '""', "rgb(1 2 3)", "inherit", "red;}"],
    message: "must be a CSS colour name or #rrggbb",
  },
  ...MONITOR_CASES,
  ...POLICY_CASES,
  "admin.api.enabled": {
    valid: [
      ["true", true],
      ["false", false],
      ['"false"', false],
      ["FALSE", false],
      ['"True"', true],
    ],
    invalid: ["yes", "on", "0", "1", '""', "{}", "falsey"],
    message: "must be true or false",
  },
  "admin.api.max-body-size": {
    valid: [
      ["1", 1],
      ["1B", 1],
      ["512KB", 524_288],
      ["1MB", 1_048_576],
      ["2097152", 2_097_152],
      ["32MB", 33_554_432],
    ],
    invalid: ["0", "0MB", "-1", "33MB", "33554433", "1.5MB", "1mb", "1 MB", "1GB", "MB", "1KiB"],
    message: "must be a size from 1B to 32MB",
  },
  "admin.api.unknown-fields": {
    valid: [
      ["reject", "reject"],
      ["ignore", "ignore"],
      ["IGNORE", "ignore"],
    ],
    invalid: ["warn", '""', "true", "reject,ignore"],
    message: "must be reject or ignore",
  },
  "admin.api.projection-keys": {
    valid: [
      ["[Desk, Book2]", ["Desk", "Book2"]],
      ["Desk", ["Desk"]],
      ["Desk, Book", ["Desk", "Book"]],
      ["[]", []],
      ['""', []],
      ["[X]", ["X"]],
    ],
    invalid: ["desk", "[Desk, desk]", "Desk,,Book", "Desk,", "[Des-k]", "[[Desk]]", "[~]", "[{Desk: 1}]", "2Desk"],
    message: "must be a list of projection keys (a capital letter, then letters and digits)",
  },
  "admin.engine.transport": {
    valid: [
      ["in-process", "in-process"],
      ["IN-PROCESS", "in-process"],
      ["websocket", "websocket"],
      ["NATS", "nats"],
    ],
    invalid: ["kafka", "web-socket", '""'],
    message: "must be in-process, websocket or nats",
  },
  "admin.engine.request-timeout": {
    valid: [
      ["10s", 10_000],
      ["500ms", 500],
      ["2m", 120_000],
      ["1h", 3_600_000],
      ["1", 1],
      ["250", 250],
      ["10S", 10_000],
      ["PT10S", 10_000],
      ["pt1m30s", 90_000],
      ["PT0.25S", 250],
      ["PT1.001S", 1001],
      ["PT1H", 3_600_000],
      ["3600000", 3_600_000],
    ],
    invalid: [
      "0",
      "0s",
      "PT0S",
      "-1s",
      "3600001",
      "61m",
      "PT1H0.001S",
      "2h",
      "10 s",
      "1.5s",
      "10x",
      "s",
      "PT",
      "PT10",
      "P1D",
      "PTS",
      '""',
    ],
    message: "must be a duration from 1ms to 1h",
  },
  "admin.engine.installation": A_PATH,
  "admin.engine.fix-port": A_PORT,
  "admin.engine.fix-host": AN_ADDRESS,
  "admin.engine.url": {
    valid: [
      ["ws://engine:8989", ["ws://engine:8989"]],
      ["nats://a:4222, tls://b", ["nats://a:4222", "tls://b"]],
      ['["wss://[::1]:8989/bus"]', ["wss://[::1]:8989/bus"]],
    ],
    invalid: ["engine:8989", "http://engine", "ws://", '""', "[]", "ws://alice:secret@engine", "[1]"],
    message: "must be one or more URLs (ws://, wss://, nats://, tls://), without user or password",
  },
  "admin.engine.token": SOME_TEXT,
  "admin.engine.credentials": A_PATH,
  "admin.engine.tls.ca": A_PATH,
  "admin.engine.tls.certificate": A_PATH,
  "admin.engine.tls.private-key": A_PATH,
  "admin.shared.nats.url": {
    valid: [["nats://a:4222, tls://b", ["nats://a:4222", "tls://b"]]],
    invalid: ["a:4222", "ws://a", "nats://", '""', "[]", "nats://alice:secret@a"],
    message: "must be one or more URLs (nats://, tls://), without user or password",
  },
  "admin.shared.nats.token": SOME_TEXT,
  "admin.shared.nats.credentials": A_PATH,
  "admin.shared.nats.tls.ca": A_PATH,
  "admin.shared.nats.tls.certificate": A_PATH,
  "admin.shared.nats.tls.private-key": A_PATH,
  "admin.audit.file": A_PATH,
  "admin.audit.max-file-size": {
    valid: [
      ["64KB", 65_536],
      ["1024MB", 1_073_741_824],
    ],
    invalid: ["65535", "1025MB", "1GB"],
    message: "must be a size from 64KB to 1024MB",
  },
  "admin.gateway.name": SOME_TEXT,
  "admin.api.max-risk-commands": {
    valid: [
      ["1", 1],
      ["100000", 100_000],
    ],
    invalid: ["0", "-1", "100001", "1.5", "1k"],
    message: "must be a whole number from 1 to 100000",
  },
  "admin.audit.stream": {
    valid: [
      ["trading-admin-audit", "trading-admin-audit"],
      ["AUDIT_2", "AUDIT_2"],
    ],
    invalid: ['""', "audit.records", "audit records", '"audit>"', '"*"', "x".repeat(129)],
    message: "must be a name of letters, digits, `-` and `_`",
  },
  "admin.audit.stream-required": A_FLAG,
  "admin.audit.max-files": {
    valid: [
      ["2", 2],
      ["1000000", 1_000_000],
    ],
    invalid: ["1", "0", "-1", "1000001", "1.5", "all"],
    message: "must be a whole number from 2 to 1000000",
  },
  "security.oauth2.authenticationType": {
    valid: [
      ["NONE", "NONE"],
      ["SIMPLE", "SIMPLE"],
      ["LDAP", "LDAP"],
      ["PROVIDER", "PROVIDER"],
      ["simple", "SIMPLE"],
      ["Ldap", "LDAP"],
    ],
    invalid: ["BASIC", '""', "true", "SIMPLE LDAP"],
    message: "must be NONE, SIMPLE, LDAP or PROVIDER",
  },
  "security.oauth2.provider.name": SOME_TEXT,
  "security.oauth2.provider.authoritiesClaim": SOME_TEXT,
  "security.oauth2.provider.clock-skew": {
    valid: [
      ["0", 0],
      ["10m", 600_000],
    ],
    invalid: ["-1", "601s", "a while"],
    message: "must be a duration from 0s to 10m",
  },
  "security.oauth2.provider.key-lifetime": {
    valid: [
      ["1m", 60_000],
      ["168h", 604_800_000],
    ],
    invalid: ["59s", "0", "169h"],
    message: "must be a duration from 1m to 168h",
  },
  "spring.security.oauth2.resourceserver.jwt.issuer-uri": A_WEB_ADDRESS,
  "spring.security.oauth2.resourceserver.jwt.jwk-set-uri": A_WEB_ADDRESS,
  "spring.security.oauth2.resourceserver.jwt.audiences": {
    valid: [
      ["trading-admin", ["trading-admin"]],
      ["[api://desk, urn:b]", ["api://desk", "urn:b"]],
      ["api://desk, urn:b", ["api://desk", "urn:b"]],
    ],
    invalid: ["a,,b", "[[a]]", "[{a: b}]"],
    message: "must be a list of audiences",
  },
  "spring.security.oauth2.resourceserver.jwt.jws-algorithms": {
    valid: [
      ["ES256", ["ES256"]],
      ["[RS256, eddsa]", ["RS256", "EdDSA"]],
      ["RS256, PS512", ["RS256", "PS512"]],
    ],
    invalid: ["HS256", "none", "[RS256, HS256]", '""', "[]", "RS256,", "{}"],
    message: "must be one or more of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519",
  },
  "spring.security.oauth2.resourceserver.jwt.principal-claim-name": SOME_TEXT,
  "spring.config.import": {
    valid: [
      ["[]", []],
      ['""', []],
    ],
    invalid: ["/run/secrets/", '"configtree:"', "[configtree:a, file:b]", '"optional:"', "optional:file:a", "{}"],
    message: "must be a list of folders (`configtree:/run/secrets/`, `optional:configtree:/run/secrets/`)",
  },
  "admin.settings.prefix": {
    valid: [
      ["spring", "spring"],
      ["quarkus", "quarkus"],
      ["my-Frame2", "my-Frame2"],
    ],
    invalid: ['""', "a.b", "2a", "[a]", "a_b"],
    message: "must be a first part of keys, such as `spring`",
  },
  "security.uac.ldap.ca": A_PATH,
  "security.uac.ldap.reload-interval": {
    valid: [
      ["1s", 1000],
      ["24h", 86_400_000],
    ],
    invalid: ["0", "999ms", "25h"],
    message: "must be a duration from 1s to 24h",
  },
  "security.uac.ldap.stop-lifetime": {
    valid: [
      ["0s", 0],
      ["168h", 604_800_000],
    ],
    invalid: ["169h", "-1s"],
    message: "must be a duration from 0s to 168h",
  },
  "security.uac.ldap.timeout": {
    valid: [
      ["100ms", 100],
      ["PT60S", 60_000],
    ],
    invalid: ["99", "61s", "soon"],
    message: "must be a duration from 100ms to 60s",
  },
  "security.uac.max-login-delay": {
    valid: [
      ["0s", 0],
      ["PT2.5S", 2500],
      ["60s", 60_000],
    ],
    invalid: ["-1s", "61s", "never"],
    message: "must be a duration from 0s to 60s",
  },
  "admin.lanes.stop.capacity": A_CAPACITY,
  "admin.lanes.change.capacity": A_CAPACITY,
  "admin.lanes.read.capacity": A_CAPACITY,
  "admin.lanes.read.max-large": A_CAPACITY,
  "admin.lanes.user-share": {
    valid: [
      ["1", 1],
      ["100", 100],
    ],
    invalid: ["0", "101", "50%", "0.5"],
    message: "must be a whole number from 1 to 100",
  },
  "admin.lanes.read.turn": {
    valid: [
      ["1", 1],
      ["1h", 3_600_000],
    ],
    invalid: ["0", "61m", "soon"],
    message: "must be a duration from 1ms to 1h",
  },
  "security.uac.directory": {
    valid: [
      ["uac", "/etc/gateway/uac"],
      [".", "/etc/gateway"],
      ["/opt/uac", "/opt/uac"],
    ],
    invalid: ['""', "[uac]"],
    message: "must be a path",
  },
};
