import { createHmac } from "node:crypto";
import forge from "node-forge";
import { describe, expect, test } from "vitest";
import { derOf, elementsOf, integerOf, octetStringOf, octetsOf, readDer } from "../../src/tls/der.ts";
import { identity, serverIdentity } from "../../src/tls/identity.ts";
import { readKeyStore } from "../../src/tls/key-store.ts";
import { readCertificates, readPrivateKey } from "../../src/tls/pem.ts";
import { cases } from "../support/extent.ts";
import { bytesOf, PASSWORD, textOf } from "./stores.ts";

async function keyIn(content: Buffer, password: string | undefined, file = "store.p12"): Promise<string[]> {
  const store = await readKeyStore({ file, content, password });
  const choice = { file, alias: undefined, storePassword: password, keyPassword: undefined };
  const { privateKey, chain } = await serverIdentity(store, choice);
  expect(chain[0].checkPrivateKey(privateKey)).toBe(true);
  return chain.map(({ subject }) => subject);
}

/** The store with the code of a password that is null, as certtool and GnuTLS write it; forge derives the key. */
function withNullMac(store: Buffer): Buffer {
  const pfx = readDer(store);
  const [, authSafe, macData] = elementsOf(pfx);
  const safe = octetStringOf(elementsOf(elementsOf(authSafe)[1])[0]);
  const [digestInfo, salt, iterations] = elementsOf(macData);
  const [, mac] = elementsOf(digestInfo);
  if (!mac) throw new Error("the store has no code");
  const bytes = forge.util.createBuffer(octetsOf(salt));
  const key = forge.pkcs12.generateKey(null, bytes, 3, integerOf(iterations), 32, forge.md.sha256.create());
  mac.value = createHmac("sha256", Buffer.from(key.getBytes(), "latin1")).update(safe).digest().toString("latin1");
  return derOf(pfx);
}

/** A store that gives neither key nor certificate an id. */
function withoutIds(friendlyName?: string): Buffer {
  const key = forge.pki.privateKeyFromPem(textOf("rsa.key"));
  const chain = readCertificates({ file: "rsa.pem", text: textOf("rsa.pem") }).map((certificate) =>
    forge.pki.certificateFromPem(certificate.toString()),
  );
  const options = { generateLocalKeyId: false, algorithm: "aes256", ...(friendlyName && { friendlyName }) } as const;
  const store = forge.pkcs12.toPkcs12Asn1(key, chain, PASSWORD, options);
  return derOf(store);
}

describe("D-AUTH 18: key stores of other tools", () => {
  test("with an empty password in the null form, with and without naming it", async () => {
    const store = withNullMac(bytesOf("empty-password.p12"));
    for (const password of [undefined, ""]) {
      expect(await keyIn(store, password)).toEqual(["CN=ec.gateway", "CN=Test Issuer"]);
    }
    await expect(keyIn(store, "other")).rejects.toThrow("it is not the password of store.p12");
  });

  test("with PBMAC1: the vector A.1 of RFC 9879 (RFC 9579) is read, and A.4 with another number of iterations is not", async () => {
    const store = { file: "a.p12", content: bytesOf("rfc9879-a1.p12"), password: "1234" };
    const { keys } = await readKeyStore(store);
    expect((await keys[0]?.privateKey("1234"))?.asymmetricKeyType).toBe("rsa");
    await expect(readKeyStore({ ...store, password: "12345" })).rejects.toThrow("it is not the password of a.p12");
    await expect(readKeyStore({ ...store, content: bytesOf("rfc9879-a4.p12") })).rejects.toThrow(
      "it is not the password",
    );
  });

  test.each(["gw", undefined])("with a key that has no localKeyId, named %s", async (name) => {
    expect(await keyIn(withoutIds(name), PASSWORD)).toEqual(["CN=rsa.gateway", "CN=Test Issuer"]);
  });
});

describe("D-AUTH 19: a password is called wrong only where another one may be right", () => {
  test("not for a key in PKCS12 whose encryption is missing", async () => {
    await expect(keyIn(bytesOf("rc4-key.p12"), PASSWORD)).rejects.toMatchObject({
      part: "store",
      message: expect.stringMatching(/^the key "rsa" in store.p12 cannot be used: its encryption is not supported; /),
    });
  });

  test("not for a key in PEM whose encryption is missing", () => {
    const file = { file: "a.key", text: textOf("rsa-des-encrypted.key") };
    expect(() => readPrivateKey(file, PASSWORD)).toThrow(
      /^a.key: the private key cannot be used: its encryption is not supported; encrypt it anew with AES/,
    );
  });

  test("but for any wrong password, also where the padding fits by chance", () => {
    for (let attempt = 0; attempt < cases(3_000); attempt += 1) {
      const file = { file: "a.key", text: textOf("rsa-encrypted.key") };
      expect(() => readPrivateKey(file, `wrong ${attempt}`)).toThrow("it does not decrypt the private key in a.key");
    }
  }, 60_000);

  test("not for a key of a kind that OpenSSL does not have", () => {
    // A PKCS #8 key of ML-DSA-44 (2.16.840.1.101.3.4.3.17), as it begins.
    const der = Buffer.concat([Buffer.from("3036020100300b060960864801650304031104240422", "hex"), Buffer.alloc(34)]);
    const text = `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`;
    expect(() => readPrivateKey({ file: "a.key", text }, undefined)).toThrow(
      /^a.key: the private key cannot be (used|read)/,
    );
  });
});

describe("D-AUTH 20: a key that no client can use is refused", () => {
  test.each(["brainpoolP256r1", "secp256k1"])("on the curve %s, in PKCS12 and in PEM", async (curve) => {
    const message = `is of the curve ${curve}, which no client accepts; use RSA, P-256, P-384 or P-521`;
    await expect(keyIn(bytesOf(`${curve}.p12`), PASSWORD)).rejects.toMatchObject({
      part: "store",
      message: `the key "${curve}" in store.p12 ${message}`,
    });
    const key = readPrivateKey({ file: "a.key", text: textOf(`${curve}.key`) }, undefined);
    const chain = readCertificates({ file: "a.pem", text: textOf(`${curve}.pem`) });
    expect(() => identity(key, chain, "private key", "the private key in a.key")).toThrow(message);
  });
});
