import { describe, expect, test } from "vitest";
import { serverIdentity } from "../../src/tls/identity.ts";
import { KeyMaterialError, type KeyMaterialPart, type KeyStore } from "../../src/tls/key-material.ts";
import { readKeyStore } from "../../src/tls/key-store.ts";
import { bytesOf, OTHER_PASSWORD, PASSWORD, textOf } from "./stores.ts";

function read(file: string, password: string | undefined, content = bytesOf(file)): Promise<KeyStore> {
  return readKeyStore({ file, content, password });
}

async function fault(reading: Promise<unknown>): Promise<KeyMaterialError> {
  const error: unknown = await reading.then(
    () => new Error("it was read"),
    (cause: unknown) => cause,
  );
  if (!(error instanceof KeyMaterialError)) throw error;
  return error;
}

/** What a key of a store is, with the subjects of its certificates; the key is tried on the first of them. */
async function keyIn(file: string, alias?: string, storePassword = PASSWORD, keyPassword?: string): Promise<string[]> {
  const { privateKey, chain } = await serverIdentity(await read(file, storePassword), {
    file,
    alias,
    storePassword,
    keyPassword,
  });
  expect(chain[0].checkPrivateKey(privateKey)).toBe(true);
  return [privateKey.asymmetricKeyType ?? "", ...chain.map(({ subject }) => subject)];
}

describe("D-GATE 9: a store, PKCS12 and JKS as written by keytool, PKCS12 as written by OpenSSL", () => {
  const ISSUER = "CN=Test Issuer";
  test.each([
    ["modern-rsa.p12", ["rsa", "CN=rsa.gateway", ISSUER, "CN=Test Root"]],
    ["modern-ec.p12", ["ec", "CN=ec.gateway", ISSUER]],
    ["legacy-rsa.p12", ["rsa", "CN=rsa.gateway", ISSUER]],
    ["legacy-ec.p12", ["ec", "CN=ec.gateway", ISSUER]],
    ["nameless.p12", ["rsa", "CN=rsa.gateway"]],
    ["secret.p12", ["ec", "CN=ec.secret"]],
    ["ed25519.p12", ["ed25519", "CN=ed25519.keytool"]],
    ["old-java.p12", ["ec", "CN=ec.old"]],
  ])("has key and chain, the certificate of the key first: %s", async (file, expected) => {
    expect(await keyIn(file)).toEqual(expected);
  });

  test.each([
    ["keytool.pkcs12", undefined],
    ["keytool.jks", OTHER_PASSWORD],
  ])("has each of several keys by its alias, in any case; without one the first: %s", async (file, ecPassword) => {
    const ROOT = "CN=Keytool Root";
    expect(await keyIn(file, "GATEWAY")).toEqual(["rsa", "CN=rsa.keytool", ROOT]);
    expect(await keyIn(file, "Gateway-EC", PASSWORD, ecPassword)).toEqual(["ec", "CN=ec.keytool", ROOT]);
    expect(await keyIn(file)).toEqual(["rsa", ROOT]);
  });

  test.each([
    ["modern-rsa.p12", 8],
    ["keytool.pkcs12", 40],
    ["old-java.p12", 800],
  ])(
    "keeps the event loop turning while keys are derived from the password: %s: at least %i turns",
    async (file, turns) => {
      let counted = 0;
      const count = (): void => {
        counted += 1;
        immediate = setImmediate(count);
      };
      let immediate = setImmediate(count);
      await keyIn(file);
      clearImmediate(immediate);
      expect(counted).toBeGreaterThanOrEqual(turns);
    },
  );

  test("has the number of a key without a name as its alias, as in Java", async () => {
    expect(await keyIn("nameless.p12", "1")).toEqual(["rsa", "CN=rsa.gateway"]);
  });

  test.each(["unicode-modern.p12", "unicode-legacy.p12"])("may have a password beyond ASCII: %s", async (file) => {
    expect(await keyIn(file, "ec", "pässwörd€")).toEqual(["ec", "CN=ec.gateway", ISSUER]);
  });

  test.each(["empty-password.p12", "open.p12"])("may have no password: %s", async (file) => {
    const { privateKey } = await serverIdentity(await read(file, undefined), {
      file,
      alias: undefined,
      storePassword: undefined,
      keyPassword: undefined,
    });
    expect(privateKey.asymmetricKeyType).toBe("ec");
  });

  test("in JKS can be read without its password, though not checked, if that of the key is known", async () => {
    const store = await read("keytool.jks", undefined);
    const choice = { file: "keytool.jks", alias: "gateway-ec", storePassword: undefined, keyPassword: OTHER_PASSWORD };
    expect((await serverIdentity(store, choice)).privateKey.asymmetricKeyType).toBe("ec");
  });

  test("in PKCS12 may have its own password for the key", async () => {
    expect(await keyIn("key-password.p12", "ec", PASSWORD, OTHER_PASSWORD)).toEqual(["ec", "CN=ec.gateway", ISSUER]);
  });

  test.each(["trust.p12", "trust.jks", "trust-openssl.p12"])("trusts certificates without a key: %s", async (file) => {
    const { keys, trusted } = await read(file, PASSWORD);
    expect(keys).toEqual([]);
    expect(trusted.map(({ subject }) => subject)).toEqual(["CN=Client Root"]);
  });

  test("does not trust certificates in the chain of a key", async () => {
    for (const file of ["modern-rsa.p12", "keytool.pkcs12", "keytool.jks"]) {
      expect((await read(file, PASSWORD)).trusted).toEqual([]);
    }
  });
});

describe("D-GATE 9: a store that cannot be used says why and what to do", () => {
  const CONVERT = "convert it with keytool -importkeystore -deststoretype PKCS12";

  test.each(["modern-ec.p12", "legacy-rsa.p12", "keytool.pkcs12", "keytool.jks"])(
    "for %s with a wrong password",
    async (file) => {
      const { part, message } = await fault(read(file, "swordfish"));
      expect(part).toBe("store password");
      expect(message).toMatch(new RegExp(`^it is not the password of ${file}`));
      expect(message).not.toContain("swordfish");
    },
  );

  test("for a PKCS12 store without its password", async () => {
    const { part, message } = await fault(read("modern-ec.p12", undefined));
    expect([part, message]).toEqual(["store password", "modern-ec.p12 has a password, which is needed"]);
  });

  test.each([
    ["key-password.p12", "ec"],
    ["keytool.jks", "gateway-ec"],
  ])("for %s if the password of the key is missing or wrong", async (file, alias) => {
    const missing = await fault(keyIn(file, alias));
    expect(missing.part).toBe("key password");
    expect(missing.message).toBe(`the key "${alias}" in ${file} has its own password, which is needed`);
    const wrong = await fault(keyIn(file, alias, PASSWORD, "swordfish"));
    expect(wrong.part).toBe("key password");
    expect(wrong.message).toBe(`it does not decrypt the key "${alias}" in ${file}`);
  });

  test("for an unknown alias, listing the known ones", async () => {
    const { part, message } = await fault(keyIn("keytool.pkcs12", "gatweay"));
    expect(part).toBe("alias");
    expect(message).toBe('keytool.pkcs12 holds no private key "gatweay"; it holds "root", "gateway", "gateway-ec"');
  });

  test("for a store without a private key", async () => {
    const { part, message } = await fault(keyIn("trust.p12"));
    expect(part).toBe("store");
    expect(message).toBe("trust.p12: there is no private key in this key store; it holds certificates only");
  });

  test.each<[string, Buffer, string]>([
    ["store.jceks", bytesOf("store.jceks"), `this is a JCEKS store, which is not supported; ${CONVERT}`],
    ["rsa.pem", Buffer.from(textOf("rsa.pem")), "this is a PEM file and no key store; name it as certificate instead"],
    ["nothing", Buffer.alloc(0), "the file is empty"],
    ["notes.txt", Buffer.from("the password is changeit"), "this is neither a PKCS12 nor a JKS key store"],
    [
      "rc2-128.p12",
      bytesOf("rc2-128.p12"),
      `the PKCS12 key store is damaged, or encrypted in a way that is not supported; if Java can read it, ${CONVERT}`,
    ],
  ])("for %s: %#", async (file, content, reason) => {
    const { part, message } = await fault(read(file, PASSWORD, content));
    expect([part, message]).toEqual(["store", `${file}: ${reason}`]);
  });

  test("for a kind of key that only Java reads from JKS", async () => {
    const { part, message } = await fault(keyIn("ed25519.jks"));
    expect(part).toBe("store");
    expect(message).toBe(
      `ed25519.jks: the key "gateway" is of a kind that is not supported in a JKS store; ${CONVERT}`,
    );
  });

  test.each(["modern-ec.p12", "keytool.jks", "open.p12"])("for %s, cut anywhere", async (file) => {
    const whole = bytesOf(file);
    const step = Math.ceil(whole.length / 60);
    for (let length = 4; length < whole.length; length += step) {
      const part = await partAtFault(file, whole.subarray(0, length));
      expect(["store", "store password"]).toContain(part);
    }
  });

  test("for a JKS store in which one bit was changed", async () => {
    const changed = Buffer.from(bytesOf("keytool.jks"));
    changed[60] = (changed[60] ?? 0) ^ 1;
    expect(["store", "store password"]).toContain(await partAtFault("keytool.jks", changed));
  });

  async function partAtFault(file: string, content: Buffer): Promise<KeyMaterialPart> {
    return (await fault(read(file, file === "open.p12" ? undefined : PASSWORD, content))).part;
  }
});
