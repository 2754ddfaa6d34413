import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PASSWORD, pathOf, textOf } from "../tls/stores.ts";
import { InstallationFolder } from "./folder.ts";
import { callHttps, type HttpsOptions, WARY } from "./https-call.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

const SERVER = `
server.ssl.certificate: ${pathOf("rsa.pem")}
server.ssl.certificate-private-key: ${pathOf("rsa.key")}
`;

const store = (name: string) => `
server.ssl.trust-store: ${pathOf(name)}
server.ssl.trust-store-password: ${PASSWORD}
`;

const TRUSTED = `server.ssl.trust-certificate: ${pathOf("client-root.pem")}\n`;

const KNOWN: HttpsOptions = { ...WARY, cert: textOf("client.pem"), key: textOf("client.key") };
const STRANGER: HttpsOptions = { ...WARY, cert: textOf("stranger.pem"), key: textOf("stranger.key") };

async function start(yaml: string): Promise<(options: HttpsOptions) => Promise<number | string>> {
  const { url } = await folder.start(`${SERVER}${yaml}`);
  return (options) =>
    callHttps(url, options).then(
      ({ status }) => status ?? 0,
      () => "refused",
    );
}

describe.each(["TLSv1.2", "TLSv1.3"])("D-GATE 9: client-auth with a trust store, over %s", (version) => {
  const protocol = `server.ssl.enabled-protocols: ${version}\n`;

  it.each([
    ["a trust store of keytool, PKCS12", store("trust.p12")],
    ["a trust store of keytool, JKS", store("trust.jks")],
    ["a trust store of OpenSSL", store("trust-openssl.p12")],
    ["a PEM file", TRUSTED],
  ])("need: admits only holders of a certificate of the authority in %s", async (_, trust) => {
    const call = await start(`${protocol}${trust}server.ssl.client-auth: need`);
    expect(await Promise.all([KNOWN, STRANGER, WARY].map(call))).toEqual([200, "refused", "refused"]);
  });

  it("want: admits callers without a certificate or with a right one, not with a wrong one", async () => {
    const call = await start(`${protocol}${TRUSTED}server.ssl.client-auth: want`);
    expect(await Promise.all([KNOWN, STRANGER, WARY].map(call))).toEqual([200, "refused", 200]);
  });

  it("none: asks nobody, and a trust store without effect is reported", async () => {
    const call = await start(`${protocol}${TRUSTED}`);
    expect(await Promise.all([KNOWN, STRANGER, WARY].map(call))).toEqual([200, 200, 200]);
    expect(folder.logText()).toContain("client-root.pem has no effect: server.ssl.client-auth is none");
  });
});

describe("D-GATE 9: client-auth", () => {
  it("does not let a certificate of the client replace its credentials", async () => {
    const { url } = await folder.start(`${SERVER}${TRUSTED}server.ssl.client-auth: need`);
    expect(await callHttps(url, { ...KNOWN, headers: {} })).toMatchObject({ status: 401, body: "" });
  });

  it("reports an authority that cannot verify any client without its issuer", async () => {
    await folder.start(`${SERVER}${store("trust-issuer.p12")}server.ssl.client-auth: need`);
    expect(folder.logText()).toContain(
      "trust-issuer.p12: CN=Test Issuer cannot verify any client without its issuer, which is missing; add it",
    );
  });
});
