import type { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Settings } from "../../config/settings.ts";
import { hasIssuer, subjectOf, validityProblem } from "../../tls/certificate-chain.ts";
import { identity, type ServerIdentity, serverIdentity } from "../../tls/identity.ts";
import { KeyMaterialError, type KeyMaterialPart, type KeyStore } from "../../tls/key-material.ts";
import { readKeyStore } from "../../tls/key-store.ts";
import { readCertificates, readPrivateKey } from "../../tls/pem.ts";
import { bytesOfSetting, textOfSetting } from "../from-settings.ts";

export interface TlsMaterial {
  readonly context: SecureContextOptions;
  /** The server's own certificate. */
  readonly certificate: X509Certificate;
  /** Warnings for the operator, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the files of settings that ask for HTTPS. `now` are epoch milliseconds.
 *
 * @throws ConfigurationError that names the setting when a file, a password, an alias or a certificate is not right.
 */
export async function readTlsMaterial(settings: Settings, now: number): Promise<TlsMaterial> {
  const warnings: string[] = [];
  const warn = (warning: string): void => void warnings.push(warning);
  const { privateKey, chain } = await readIdentity(settings, warn);
  const trusted = await readTrusted(settings, warn);
  const invalid = validityProblem(chain[0], now);
  if (invalid) warn(invalid);
  const protocols = settings["server.ssl.enabled-protocols"];
  const context: SecureContextOptions = {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: chain.map(String).join(""),
    minVersion: protocols.includes("TLSv1.2") ? "TLSv1.2" : "TLSv1.3",
    maxVersion: protocols.includes("TLSv1.3") ? "TLSv1.3" : "TLSv1.2",
    ...(trusted.length > 0 && { ca: trusted.map(String) }),
  };
  tryOut(context, chain[0], settings);
  return { context, certificate: chain[0], warnings };
}

/** OpenSSL refuses what is too weak, such as RSA keys below 1024 bits. */
function tryOut(context: SecureContextOptions, certificate: X509Certificate, settings: Settings): void {
  try {
    createSecureContext(context);
  } catch (cause) {
    const key = settings["server.ssl.key-store"] === undefined ? "certificate" : "key-store";
    const reason = (cause as Error).message.replace(/^error:[^:]*:(?:[^:]*:)*/, "");
    throw new ConfigurationError(`server.ssl.${key}: OpenSSL does not accept ${subjectOf(certificate)}: ${reason}`, {
      cause,
    });
  }
}

/** The setting that each part comes from: of what the server shows of itself, and of what verifies clients. */
const OWN: Readonly<Record<KeyMaterialPart, string>> = {
  store: "server.ssl.key-store",
  "store password": "server.ssl.key-store-password",
  "key password": "server.ssl.key-password",
  alias: "server.ssl.key-alias",
  certificate: "server.ssl.certificate",
  "private key": "server.ssl.certificate-private-key",
};
const TRUST: Readonly<Record<KeyMaterialPart, string>> = {
  ...OWN,
  store: "server.ssl.trust-store",
  "store password": "server.ssl.trust-store-password",
  certificate: "server.ssl.trust-certificate",
};

type Warn = (warning: string) => void;

/** Reads the server's private key and its certificates. Throws {@link ConfigurationError} that names the setting at fault. */
function readIdentity(settings: Settings, warn: Warn): Promise<ServerIdentity> {
  return naming(OWN, async () => {
    const store = await storeOf(settings, "key-store", warn);
    return store ? identityInStore(store, settings, warn) : identityInPem(settings);
  });
}

/**
 * Reads the certificates of the authorities trusted for clients; none without `server.ssl.client-auth`. Throws
 * {@link ConfigurationError} that names the setting at fault.
 */
function readTrusted(settings: Settings, warn: Warn): Promise<readonly X509Certificate[]> {
  return naming(TRUST, async () => {
    const file = settings["server.ssl.trust-store"] ?? settings["server.ssl.trust-certificate"];
    if (file === undefined) return [];
    const pem = await textOfSetting(settings, "server.ssl.trust-certificate");
    const store = await storeOf(settings, "trust-store", warn);
    const trusted = store?.trusted ?? readCertificates({ file, text: pem ?? "" });
    if (trusted.length === 0) {
      const advice = "add one with keytool -importcert";
      throw new KeyMaterialError("store", `${file}: there is no certificate of an authority in this store; ${advice}`);
    }
    for (const certificate of trusted.filter((candidate) => !hasIssuer(candidate, trusted))) {
      warn(`${file}: ${subjectOf(certificate)} cannot verify any client without its issuer, which is missing; add it`);
    }
    if (settings["server.ssl.client-auth"] === "none") warn(`${file} has no effect: server.ssl.client-auth is none`);
    return trusted;
  });
}

async function naming<T>(names: Readonly<Record<KeyMaterialPart, string>>, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof KeyMaterialError)) throw cause;
    throw new ConfigurationError(`${names[cause.part]}: ${cause.message}`, { cause });
  }
}

async function storeOf(
  settings: Settings,
  name: "key-store" | "trust-store",
  warn: Warn,
): Promise<KeyStore | undefined> {
  const file = settings[`server.ssl.${name}`];
  const content = await bytesOfSetting(settings, `server.ssl.${name}`);
  if (file === undefined || content === undefined) return undefined;
  const store = await readKeyStore({ file, content, password: settings[`server.ssl.${name}-password`] });
  const type = settings[`server.ssl.${name}-type`];
  if (type !== undefined && type !== store.format) {
    warn(`server.ssl.${name}-type is ${type}, but ${file} is a ${store.format} store and is read as one`);
  }
  return store;
}

function identityInStore(store: KeyStore, settings: Settings, warn: Warn): Promise<ServerIdentity> {
  const file = settings["server.ssl.key-store"] ?? "";
  const alias = settings["server.ssl.key-alias"];
  const [first, ...others] = store.keys.map((key) => `"${key.alias}"`);
  if (alias === undefined && others.length > 0) {
    const known = `${file} holds the keys ${[first, ...others].join(", ")}`;
    warn(`server.ssl.key-alias is not set and ${known}: ${first} is used, as it comes first`);
  }
  const storePassword = settings["server.ssl.key-store-password"];
  return serverIdentity(store, { file, alias, storePassword, keyPassword: settings["server.ssl.key-password"] });
}

async function identityInPem(settings: Settings): Promise<ServerIdentity> {
  const [file, keyFile] = [
    settings["server.ssl.certificate"] ?? "",
    settings["server.ssl.certificate-private-key"] ?? "",
  ];
  const text = (await textOfSetting(settings, "server.ssl.certificate")) ?? "";
  const keyText = (await textOfSetting(settings, "server.ssl.certificate-private-key")) ?? "";
  const chain = readCertificates({ file, text });
  const privateKey = readPrivateKey({ file: keyFile, text: keyText }, settings["server.ssl.key-password"]);
  return identity(privateKey, chain, "certificate", `the private key in ${keyFile}`);
}
