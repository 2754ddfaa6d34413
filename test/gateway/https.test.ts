import { X509Certificate } from "node:crypto";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OTHER_PASSWORD, PASSWORD, pathOf, textOf } from "../tls/stores.ts";
import { exchange, expectRefusal, head } from "./connection.ts";
import { InstallationFolder } from "./folder.ts";
import { callHttps, openTls, readToEnd, WARY } from "./https-call.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

const ssl = (settings: Record<string, string>) =>
  Object.entries(settings)
    .map(([key, value]) => `server.ssl.${key}: ${value}\n`)
    .join("");

const RSA = ssl({ certificate: pathOf("rsa.pem"), "certificate-private-key": pathOf("rsa.key") });

describe("Enabling; D-GATE 9: HTTPS with the settings of Spring Boot", () => {
  it.each<[string, Record<string, string>]>([
    ["rsa.gateway", { certificate: pathOf("rsa.pem"), "certificate-private-key": pathOf("rsa.key") }],
    ["ec.gateway", { certificate: `file:${pathOf("ec.pem")}`, "certificate-private-key": pathOf("ec.key") }],
    [
      "rsa.gateway",
      {
        certificate: pathOf("rsa.pem"),
        "certificate-private-key": pathOf("rsa-encrypted.key"),
        "key-password": PASSWORD,
      },
    ],
    ["rsa.gateway", { "key-store": pathOf("modern-rsa.p12"), "key-store-password": PASSWORD }],
    ["ec.gateway", { "key-store": pathOf("legacy-ec.p12"), keyStorePassword: PASSWORD, keyStoreType: "PKCS12" }],
    [
      "ec.gateway",
      { "key-store": pathOf("key-password.p12"), "key-store-password": PASSWORD, "key-password": OTHER_PASSWORD },
    ],
  ])("%s: a client that trusts the authority is served: %j", async (name, settings) => {
    const { url } = await folder.start(ssl(settings));
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await callHttps(url, WARY)).toMatchObject({ status: 200, server: name, protocol: "TLSv1.3" });
  });

  it.each<[string, Record<string, string>]>([
    ["rsa.keytool", { "key-store": pathOf("keytool.pkcs12"), "key-alias": "Gateway" }],
    ["ec.keytool", { "key-store": pathOf("keytool.pkcs12"), "key-alias": "gateway-ec" }],
    ["rsa.keytool", { "key-store": pathOf("keytool.jks"), keyAlias: "Gateway", keyStoreType: "JKS" }],
    ["ec.keytool", { "key-store": pathOf("keytool.jks"), keyAlias: "gateway-ec", "key-password": OTHER_PASSWORD }],
    ["Keytool Root", { "key-store": pathOf("keytool.jks") }],
    ["ed25519.keytool", { "key-store": pathOf("ed25519.p12") }],
  ])("%s out of a store of keytool: %j", async (name, settings) => {
    const { url } = await folder.start(ssl({ "key-store-password": PASSWORD, ...settings }));
    expect(await callHttps(url)).toMatchObject({ status: 200, server: name });
  });

  it("server.ssl.enabled: false serves plain HTTP whatever else is set", async () => {
    const gateway = await folder.start(
      `${ssl({ "key-store": "nowhere.p12", "key-alias": "a" })}server.ssl.enabled: false`,
    );
    expect(gateway.url).toMatch(/^http:/);
    expect(gateway.certificate).toBeUndefined();
  });

  it("of several keys without an alias the first is used, with a warning that names all", async () => {
    await folder.start(ssl({ "key-store": pathOf("keytool.jks"), "key-store-password": PASSWORD }));
    const warnings = folder.log().filter(({ level }) => level === "warn");
    expect(warnings.map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(
        /^server\.ssl\.key-alias is not set and .* "root", "gateway", "gateway-ec": "root" is used/,
      ),
    );
  });

  it.each([
    ["keytool.jks", "PKCS12", "JKS"],
    ["modern-rsa.p12", "JKS", "PKCS12"],
  ])("%s with key-store-type %s is read as %s, with a warning", async (file, type, format) => {
    const settings = { "key-store": pathOf(file), "key-store-password": PASSWORD, "key-store-type": type };
    const { url } = await folder.start(ssl(settings));
    expect(await callHttps(url)).toMatchObject({ status: 200 });
    expect(folder.logText()).toContain(
      `server.ssl.key-store-type is ${type}, but ${pathOf(file)} is a ${format} store`,
    );
  });

  it("the active certificate is known: subject, end, and the pin of its key", async () => {
    const { certificate } = await folder.start(RSA);
    const { publicKey, validTo } = new X509Certificate(textOf("rsa.pem"));
    const spki = publicKey.export({ type: "spki", format: "der" });
    const digest = await crypto.subtle.digest("SHA-256", spki);
    expect(certificate).toEqual({
      subject: "CN=rsa.gateway",
      expires: new Date(validTo),
      publicKeyPin: Buffer.from(digest).toString("base64"),
    });
  });
});

describe("D-GATE 9: server.ssl.enabled-protocols", () => {
  it.each([
    ["TLSv1.2", "TLSv1.2", "TLSv1.3"],
    ["TLSv1.3", "TLSv1.3", "TLSv1.2"],
  ] as const)("%s allows that version, and %s alone", async (protocol, spoken, refused) => {
    const { url } = await folder.start(`${RSA}server.ssl.enabled-protocols: ${protocol}`);
    expect(await callHttps(url, WARY)).toMatchObject({ status: 200, protocol: spoken });
    await expect(callHttps(url, { ...WARY, minVersion: refused, maxVersion: refused })).rejects.toThrow(
      /alert|version/,
    );
  });

  it("allows both by default, and nothing older", async () => {
    const { url } = await folder.start(RSA);
    expect(await callHttps(url, { ...WARY, maxVersion: "TLSv1.2" })).toMatchObject({
      status: 200,
      protocol: "TLSv1.2",
    });
    // Without a lower security level, OpenSSL 3.5 (Node 24) offers no TLS 1.1 at all.
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    await expect(callHttps(url, { ...WARY, ...old })).rejects.toThrow(/alert|version/);
  });
});

describe("D-HTTP 2: over TLS too, what is not HTTP is answered in the API's shape", () => {
  it.each([
    ["no HTTP", "nonsense\r\n\r\n", "The request is not valid HTTP"],
    ["no Host", "GET /api/admin/v1/trading/status HTTP/1.1\r\n\r\n", "The header Host is missing"],
  ])("after %s", async (_, text, message) => {
    const { url } = await folder.start(RSA);
    const socket = await openTls(url);
    socket.write(text);
    expectRefusal(await readToEnd(socket), 400, "Bad Request", message);
  });

  it("plain HTTP on the port of HTTPS gets no response, and the next client is served", async () => {
    const { url } = await folder.start(RSA);
    expect(await exchange(url, head("GET", "/trading/status"))).not.toContain("HTTP/1.1");
    expect(await callHttps(url, WARY)).toMatchObject({ status: 200 });
  });
});

describe("D-GATE 12: connections without a TLS handshake", () => {
  it("do not keep a gateway from closing", async () => {
    const gateway = await folder.start(RSA);
    const { closed } = silent(gateway.url);
    await callHttps(gateway.url, WARY);
    const started = performance.now();
    await gateway.close();
    await closed;
    // Long before the connection would have been closed anyway.
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  it("are closed after ten seconds", async () => {
    const { url } = await folder.start(RSA);
    const started = performance.now();
    await silent(url).closed;
    expect(performance.now() - started).toBeGreaterThan(5_000);
  });

  /** A client that connects and says nothing. */
  function silent(url: string): { closed: Promise<void> } {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    return { closed: new Promise((resolve) => socket.once("close", () => resolve())) };
  }
});
