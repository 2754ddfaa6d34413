import type { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Settings } from "../../config/settings.ts";
import { subjectOf, validityProblem } from "../../tls/certificate-chain.ts";
import { readIdentity, readTrusted } from "./key-material.ts";

/** What an HTTPS server works with. */
export interface TlsMaterial {
  readonly context: SecureContextOptions;
  /** The server's own certificate. */
  readonly certificate: X509Certificate;
  /** What an operator should know, a line each. */
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
