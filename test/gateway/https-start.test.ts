import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findStartProblems, type StartFindings } from "../../src/cli/check-config.ts";
import { ConfigurationError } from "../../src/config/configuration-error.ts";
import { parseSettings } from "../../src/config/load.ts";
import { authenticationMechanism } from "../../src/config/mechanism.ts";
import { OTHER_PASSWORD, PASSWORD, pathOf } from "../tls/stores.ts";
import { InstallationFolder } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

type Ssl = Readonly<Record<string, string>>;

const yaml = (ssl: Ssl) =>
  Object.entries(ssl)
    .map(([key, value]) => `server.ssl.${key}: ${value}\n`)
    .join("");

function findings(text: string): Promise<StartFindings> {
  const settings = parseSettings(text, folder.file("application.yaml"));
  return findStartProblems(settings, authenticationMechanism(settings), {});
}

/** What a start and `check-config` both say; the folders of files are left out. */
async function problemsOf(ssl: Ssl): Promise<string[]> {
  const text = yaml(ssl);
  const error: unknown = await folder.start(text).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  const { message } = error as ConfigurationError;
  expect((await findings(text)).problems).toEqual(message.split("\n"));
  expect(message).not.toMatch(new RegExp(`${PASSWORD}|swordfish|${OTHER_PASSWORD}`));
  return message.replaceAll(/(?<=^| )\/\S*\//gm, "").split("\n");
}

const PEM = { certificate: pathOf("rsa.pem"), "certificate-private-key": pathOf("rsa.key") };
const STORE = { "key-store": pathOf("keytool.pkcs12"), "key-store-password": PASSWORD, "key-alias": "gateway" };

describe("D-GATE 9: HTTPS settings that cannot work are an error at start and in check-config, which says what to do", () => {
  it.each<[string, Ssl, string]>([
    [
      "an unknown alias",
      { ...STORE, "key-alias": "gatway" },
      'server.ssl.key-alias: keytool.pkcs12 holds no private key "gatway"; it holds "root", "gateway", "gateway-ec"',
    ],
    [
      "a wrong password of the store",
      { ...STORE, "key-store-password": "swordfish" },
      "server.ssl.key-store-password: it is not the password of keytool.pkcs12",
    ],
    [
      "no password of the store",
      { "key-store": pathOf("modern-ec.p12") },
      "server.ssl.key-store-password: modern-ec.p12 has a password, which is needed",
    ],
    [
      "a wrong password of the key",
      { ...STORE, "key-password": "swordfish" },
      'server.ssl.key-password: it does not decrypt the key "gateway" in keytool.pkcs12',
    ],
    [
      "a key whose password is not known",
      { "key-store": pathOf("keytool.jks"), "key-store-password": PASSWORD, "key-alias": "gateway-ec" },
      'server.ssl.key-password: the key "gateway-ec" in keytool.jks has its own password, which is needed',
    ],
    [
      "an encrypted PEM key whose password is missing",
      { ...PEM, "certificate-private-key": pathOf("rsa-encrypted.key") },
      "server.ssl.key-password: the private key in rsa-encrypted.key is encrypted, so its password is needed",
    ],
    [
      "a store without a private key",
      { "key-store": pathOf("trust.p12"), "key-store-password": PASSWORD },
      "server.ssl.key-store: trust.p12: there is no private key in this key store; it holds certificates only",
    ],
    [
      "a key that does not fit the certificate",
      { ...PEM, "certificate-private-key": pathOf("ec.key") },
      "server.ssl.certificate: the certificate CN=rsa.gateway does not belong to the private key in ec.key; use the key that " +
        "it was issued for",
    ],
    [
      "a PEM file as key store",
      { "key-store": pathOf("rsa.pem") },
      "server.ssl.key-store: rsa.pem: this is a PEM file and no key store; name it as certificate instead",
    ],
    [
      "a file that is not there",
      { "key-store": "/nowhere/gateway.p12" },
      "server.ssl.key-store: the file cannot be read: ENOENT: no such file or directory, open '/nowhere/gateway.p12'",
    ],
    [
      "a trust store without an authority",
      { ...PEM, "client-auth": "need", "trust-store": pathOf("modern-ec.p12"), "trust-store-password": PASSWORD },
      "server.ssl.trust-store: modern-ec.p12: there is no certificate of an authority in this store; add one with keytool " +
        "-importcert",
    ],
    [
      "a wrong password of the trust store",
      { ...PEM, "client-auth": "need", "trust-store": pathOf("trust.jks"), "trust-store-password": "swordfish" },
      "server.ssl.trust-store-password: it is not the password of trust.jks, or the file was changed",
    ],
    [
      "a trust certificate that is none",
      { ...PEM, "client-auth": "want", "trust-certificate": pathOf("client.key") },
      "server.ssl.trust-certificate: client.key: there is no PEM certificate (-----BEGIN CERTIFICATE-----)",
    ],
    [
      "a certificate that OpenSSL finds too weak",
      { certificate: pathOf("weak.pem"), "certificate-private-key": pathOf("weak.key") },
      "server.ssl.certificate: OpenSSL does not accept CN=weak.gateway: ee key too small",
    ],
  ])("in %s", async (_, ssl, problem) => {
    expect(await problemsOf(ssl)).toEqual([problem]);
  });
});

describe("D-SET 1: HTTPS settings that contradict each other are reported in one go", () => {
  it.each<[string, Ssl, readonly string[]]>([
    [
      "key store and PEM",
      { ...STORE, ...PEM },
      ["server.ssl.key-store and server.ssl.certificate: only one of them can be set; remove the other"],
    ],
    [
      "two kinds of trust",
      { ...PEM, "client-auth": "need", "trust-store": "a", "trust-certificate": "b" },
      ["server.ssl.trust-store and server.ssl.trust-certificate: only one of them can be set; remove the other"],
    ],
    [
      "a certificate without its key",
      { certificate: pathOf("rsa.pem") },
      ["server.ssl.certificate: server.ssl.certificate-private-key is needed too"],
    ],
    [
      "HTTPS and nothing to do it with",
      { enabled: "true", "client-auth": "need" },
      [
        "server.ssl.enabled: HTTPS needs server.ssl.key-store or server.ssl.certificate too",
        "server.ssl.client-auth: HTTPS needs server.ssl.key-store or server.ssl.certificate too",
      ],
    ],
    [
      "what belongs to a key store or a trust store that is not named",
      { ...PEM, "key-alias": "a", "trust-store-type": "JKS" },
      [
        "server.ssl.key-alias: server.ssl.key-store is needed too, or remove it",
        "server.ssl.trust-store-type: server.ssl.trust-store is needed too, or remove it",
      ],
    ],
    [
      "client certificates and nobody to vouch for them",
      { ...PEM, "client-auth": "want" },
      [
        "server.ssl.client-auth is want: name the certificate authorities trusted for clients with server.ssl.trust-store or " +
          "server.ssl.trust-certificate",
      ],
    ],
  ])("such as %s", async (_, ssl, problems) => {
    expect(await problemsOf(ssl)).toEqual(problems);
  });
});

describe("HTTPS settings that are odd but possible are a warning", () => {
  it("such as a certificate that has expired", async () => {
    const text = yaml({ "key-store": pathOf("expired.p12"), "key-store-password": PASSWORD });
    const warning = "the certificate CN=expired.gateway expired on Jan  1";
    const { problems, warnings } = await findings(text);
    expect(problems).toEqual([]);
    expect(warnings).toContainEqual(expect.stringContaining(warning));
    await folder.start(text);
    expect(folder.logText()).toContain(warning);
  });

  it("but a private key in place of a path is refused and not shown", () => {
    const pem = '"-----BEGIN PRIVATE KEY-----\\nMIIhush\\n-----END PRIVATE KEY-----"';
    const parse = () => parseSettings(`server.ssl.certificate-private-key: ${pem}`, "application.yaml");
    expect(parse).toThrow(
      'application.yaml:1: server.ssl.certificate-private-key: must be a path, with or without `file:`, is "***"',
    );
  });
});
