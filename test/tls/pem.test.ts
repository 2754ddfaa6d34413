import { describe, expect, test } from "vitest";
import { identity } from "../../src/tls/identity.ts";
import { KeyMaterialError } from "../../src/tls/key-material.ts";
import { readCertificates, readPrivateKey } from "../../src/tls/pem.ts";
import { PASSWORD, textOf } from "./stores.ts";

function fault(read: () => unknown): KeyMaterialError {
  try {
    read();
  } catch (error) {
    if (error instanceof KeyMaterialError) return error;
    throw error;
  }
  throw new Error("it was read");
}

const certificates = (text: string) => readCertificates({ file: "a.pem", text });
const key = (text: string, password?: string) => readPrivateKey({ file: "a.key", text }, password);

describe("D-GATE 9: certificate and private key in PEM", () => {
  test.each([
    ["rsa.key", undefined, "rsa.pem"],
    ["rsa-pkcs1.key", undefined, "rsa.pem"],
    ["rsa-encrypted.key", PASSWORD, "rsa.pem"],
    ["rsa-pkcs1-encrypted.key", PASSWORD, "rsa.pem"],
    ["ec.key", undefined, "ec.pem"],
  ])("is read: %s, password %s, for %s", (keyFile, password, file) => {
    const privateKey = key(textOf(keyFile), password);
    const chain = certificates(textOf(file));
    expect(chain.map(({ subject }) => subject)).toEqual([`CN=${file.slice(0, -4)}.gateway`, "CN=Test Issuer"]);
    expect(identity(privateKey, chain, "certificate", "the key")).toEqual({ privateKey, chain });
  });

  test("is read from one file, in any order, with text between and lines as Windows writes them", () => {
    const text = ["notes", textOf("ec.key"), "more", textOf("ec.pem")].join("\n").replaceAll("\n", "\r\n");
    expect(certificates(text)).toHaveLength(2);
    expect(key(text).asymmetricKeyType).toBe("ec");
  });

  test("is read with a needless password", () => {
    expect(key(textOf("rsa.key"), "needless").asymmetricKeyType).toBe("rsa");
  });
});

describe("D-GATE 9: PEM that cannot be used says why and what to do", () => {
  test.each(["rsa-encrypted.key", "rsa-pkcs1-encrypted.key"])("for %s with its password missing or wrong", (file) => {
    const missing = fault(() => key(textOf(file)));
    expect([missing.part, missing.message]).toEqual([
      "key password",
      "the private key in a.key is encrypted, so its password is needed",
    ]);
    const wrong = fault(() => key(textOf(file), "swordfish"));
    expect([wrong.part, wrong.message]).toEqual(["key password", "it does not decrypt the private key in a.key"]);
  });

  test("for a missing or broken certificate or key", () => {
    const cut = (text: string) => text.replace(/[A-Za-z0-9+/]{40}\n/, "\n");
    const broken = textOf("issuer.pem").replace(/MII./, "AAAA");
    expect(fault(() => certificates(textOf("ec.key"))).message).toBe(
      "a.pem: there is no PEM certificate (-----BEGIN CERTIFICATE-----)",
    );
    expect(fault(() => certificates(textOf("ec-alone.pem") + broken)).message).toBe(
      "a.pem: certificate 2 of 2 cannot be read",
    );
    expect(fault(() => key(textOf("ec.pem"))).message).toBe(
      "a.key: there is no PEM private key (-----BEGIN PRIVATE KEY-----)",
    );
    const { part, message } = fault(() => key(cut(textOf("rsa.key"))));
    expect([part, message]).toEqual(["private key", "a.key: the private key cannot be read"]);
  });

  test("for a key that belongs to another certificate, or to one that is not first", () => {
    const ours = key(textOf("ec.key"));
    const fits = (text: string) => identity(ours, certificates(text), "certificate", "the key");
    expect(fault(() => fits(textOf("rsa.pem"))).message).toBe(
      "the certificate CN=rsa.gateway does not belong to the key; use the key that it was issued for",
    );
    expect(fault(() => fits(textOf("issuer.pem") + textOf("ec-alone.pem"))).message).toBe(
      "the certificate CN=Test Issuer does not belong to the key; certificate 2 does; put it first",
    );
  });

  test("and nothing of a key is in the message", () => {
    const text = textOf("rsa-encrypted.key");
    const { message } = fault(() => key(text, "swordfish"));
    expect(message).not.toMatch(/swordfish|MII/);
  });
});
