import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findStartProblems } from "../../src/cli/check-config.ts";
import { ConfigurationError } from "../../src/config/configuration-error.ts";
import { parseSettings } from "../../src/config/load.ts";
import { authenticationMechanism } from "../../src/config/mechanism.ts";
import { checkPlainHttp } from "../../src/gateway/https/https.ts";
import { startWarnings } from "../../src/gateway/start-warnings.ts";
import { pathOf } from "../tls/stores.ts";
import { InstallationFolder } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** Warnings of a gateway that speaks plain HTTP; throws as its start would. */
function check(yaml: string): string[] {
  const warnings: string[] = [];
  checkPlainHttp(parseSettings(yaml, folder.file("application.yaml")), { warn: (text) => warnings.push(text) });
  return warnings;
}

const OPEN = "server.address: 0.0.0.0\n";
const PROBLEM =
  "passwords would cross the network without TLS, as server.address is 0.0.0.0; set server.ssl.key-store or " +
  "server.ssl.certificate, or admin.api.allow-basic-without-tls: true if only a proxy that ends TLS reaches this address";
const TOKENS =
  "security.oauth2.authenticationType: PROVIDER\n" +
  "spring.security.oauth2.resourceserver.jwt.issuer-uri: https://login.example\n";

describe("Authentication 7; D-GATE 8; D-LINK 26: HTTP Basic in plain HTTP beyond this machine", () => {
  it("is refused at start and by check-config, with the settings that help", async () => {
    const started: unknown = await folder.start(OPEN).catch((cause: unknown) => cause);
    expect(started).toBeInstanceOf(ConfigurationError);
    expect((started as Error).message).toBe(PROBLEM);
    const settings = parseSettings(OPEN, folder.file("application.yaml"));
    expect((await findStartProblems(settings, authenticationMechanism(settings), {})).problems).toEqual([PROBLEM]);
  });

  it.each(["0.0.0.0", "'::'", "10.0.0.7", "gateway.example"])("is refused on %s, with LDAP too", (address) => {
    for (const type of ["SIMPLE", "LDAP"]) {
      const yaml = `server.address: ${address}\nsecurity.oauth2.authenticationType: ${type}`;
      expect(() => check(yaml)).toThrow(/^passwords would cross the network/);
    }
  });

  it("is allowed by admin.api.allow-basic-without-tls, for a proxy that ends TLS", async () => {
    const { url } = await folder.start(`${OPEN}admin.api.allow-basic-without-tls: true`);
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:/);
  });

  it.each([
    ["websocket", "ws://engine:1", "token", "wss://"],
    ["nats", "nats://10.0.0.7:4222", "token", "tls://"],
    ["nats", "nats://nats:4222,nats://127.0.0.1:4222", "credentials", "tls://"],
  ])("a secret over %s to %s is warned of, at start and by check-config", (transport, url, secret, better) => {
    const of = (more: string): string[] =>
      startWarnings(parseSettings(`admin.engine.transport: ${transport}\n${more}`, folder.file("application.yaml")));
    const given = `admin.engine.url: ${url}\nadmin.engine.${secret}: s3cret`;
    const [first] = url.split(",");
    expect(of(given)).toEqual([
      expect.stringContaining(
        `admin.engine.${secret} would cross the network without TLS, as admin.engine.url is ${first}`,
      ),
    ]);
    expect(of(given)[0]).toMatch(new RegExp(`; use ${better}$`));
    for (const safe of [
      given.replace(/\w+:\/\/[^\n]*/, "tls://nats:4222").replace("tls", transport === "nats" ? "tls" : "wss"),
      given.replace(/:\/\/[^\n]*/, "://127.0.0.1:4222"),
      `admin.engine.url: ${url}`,
      ...(transport === "nats" ? [`${given}\nadmin.engine.tls.ca: ca.pem`] : []),
    ])
      expect([safe, of(safe)]).toEqual([safe, []]);
  });

  it("needs no permission with a certificate", async () => {
    const ssl = `server.ssl.certificate: ${pathOf("rsa.pem")}\nserver.ssl.certificate-private-key: ${pathOf("rsa.key")}\n`;
    const { url } = await folder.start(`${OPEN}${ssl}`);
    expect(url).toMatch(/^https:\/\/0\.0\.0\.0:/);
  });

  it.each([
    ["nobody can log in", "security.oauth2.authenticationType: NONE"],
    ["there is no API", "admin.api.enabled: false"],
  ])("is no matter when %s", (_, yaml) => {
    expect(check(`${OPEN}${yaml}`)).toEqual([]);
  });
});

describe("D-GATE 8: bearer tokens in plain HTTP beyond this machine", () => {
  it("cause a warning", () => {
    expect(check(`${OPEN}${TOKENS}`)).toEqual([
      "bearer tokens would cross the network without TLS, as server.address is 0.0.0.0; set server.ssl.key-store or " +
        "server.ssl.certificate",
    ]);
    expect(check(TOKENS)).toEqual([]);
  });
});
