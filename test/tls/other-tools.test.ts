import { createHmac } from "node:crypto";
import forge from "node-forge";
import { describe, expect, test } from "vitest";
import {
  type DerNode,
  derOf,
  elementsOf,
  identifierOf,
  integerOf,
  octetStringOf,
  octetsOf,
  readDer,
} from "../../src/tls/der.ts";
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

/** Where a password is hashed in a store or key: the numbers of rounds, in the order of the bytes. */
function roundsIn(node: DerNode, found: DerNode[] = []): DerNode[] {
  if (typeof node.value !== "string") for (const child of node.value) roundsIn(child, found);
  else if (node.type === forge.asn1.Type.INTEGER && [2_048, 10_000].includes(integerOf(node))) found.push(node);
  return found;
}

/** The DER in an octet string, changed. */
function within(octets: DerNode | undefined, change: (inner: DerNode) => void): void {
  if (!octets) throw new Error("the store is built in another way");
  const inner = readDer(octetStringOf(octets));
  change(inner);
  octets.value = derOf(inner).toString("latin1");
}

function askFor(rounds: number, [first]: readonly DerNode[]): void {
  if (!first) throw new Error("no password is hashed here");
  first.value = forge.asn1.integerToDer(rounds).getBytes();
}

/** Each place of a store that says how often its password is hashed; without the code where that would not fit any more. */
const PLACES: Readonly<Record<string, (pfx: DerNode, rounds: number) => void>> = {
  "its code": (pfx, rounds) => askFor(rounds, roundsIn(elementsOf(pfx)[2] as DerNode)),
  "the encryption of its certificates": (pfx, rounds) => inContents(pfx, (infos) => askFor(rounds, roundsIn(infos))),
  "the encryption of its key": (pfx, rounds) =>
    inContents(pfx, (infos) => {
      const data = elementsOf(infos).find((info) => identifierOf(elementsOf(info)[0]) === "1.2.840.113549.1.7.1");
      within(elementsOf(elementsOf(data)[1])[0], (bags) => askFor(rounds, roundsIn(bags)));
    }),
};

function inContents(pfx: DerNode, change: (infos: DerNode) => void): void {
  const [version, authSafe] = elementsOf(pfx) as [DerNode, DerNode];
  within(elementsOf(elementsOf(authSafe)[1])[0], change);
  pfx.value = [version, authSafe];
}

describe("D-AUTH 21: a file that has a password hashed more than ten million times is refused", () => {
  const MOST = 10_000_000;

  test.each(Object.entries(PLACES))("a PKCS12 store, by %s, whatever the password", async (place, change) => {
    const pfx = readDer(bytesOf("modern-rsa.p12"));
    change(pfx, MOST + 1);
    // Before the key, the certificates have shown that another password is wrong.
    const passwords = place === "the encryption of its key" ? [PASSWORD] : [PASSWORD, "other"];
    for (const password of passwords) {
      await expect(keyIn(derOf(pfx), password)).rejects.toMatchObject({
        name: "KeyMaterialError",
        part: "store",
        message: expect.stringMatching(/store\.p12: its password is hashed 10000001 times, and 10000000 is the most/),
      });
    }
  });

  test("an older PKCS12 store, which is read without OpenSSL", async () => {
    const pfx = readDer(bytesOf("legacy-rsa.p12"));
    inContents(pfx, (infos) => askFor(2 ** 31 - 1, roundsIn(infos)));
    await expect(keyIn(derOf(pfx), PASSWORD)).rejects.toThrow("is hashed 2147483647 times");
  });

  test("a key in PEM, which OpenSSL would hash in one piece", () => {
    const base64 = textOf("rsa-encrypted.key").replace(/-----[^-]+-----/g, "");
    const info = readDer(Buffer.from(base64, "base64"));
    askFor(MOST + 1, roundsIn(info));
    const label = "ENCRYPTED PRIVATE KEY";
    const text = `-----BEGIN ${label}-----\n${derOf(info).toString("base64")}\n-----END ${label}-----\n`;
    expect(() => readPrivateKey({ file: "a.key", text }, PASSWORD)).toThrow(
      "a.key: its password is hashed 10000001 times, and 10000000 is the most; encrypt it anew with fewer iterations",
    );
  });
});
