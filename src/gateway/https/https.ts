import { createHash } from "node:crypto";
import type { TLSSocket, TlsOptions } from "node:tls";
import { ConfigurationError } from "../../config/configuration-error.ts";
import { authenticationMechanism } from "../../config/mechanism.ts";
import { SETTING_KEYS, type Settings, settingInfo } from "../../config/settings.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { Logger } from "../../core/logger.ts";
import { isLoopback } from "../../core/urls.ts";
import { FileWatch } from "../../files/file-watch.ts";
import { subjectOf } from "../../tls/certificate-chain.ts";
import { asksForHttps } from "./ssl-settings.ts";
import { readTlsMaterial, type TlsMaterial } from "./tls-material.ts";

/** Facts about the certificate of an HTTPS server. */
export interface ServerCertificate {
  /** Distinguished name on one line: `CN=gateway.example, O=Desk`. */
  readonly subject: string;
  readonly expires: Date;
  /** SHA-256 of its public key in Base64, as `curl --pinnedpubkey` takes it (RFC 7469 section 2.4). */
  readonly publicKeyPin: string;
}

/** Key, certificates and rules of an HTTPS server. */
export interface ServerTls {
  /** Options for `https.createServer`. */
  options(): TlsOptions;
  certificate(): ServerCertificate;
  /** True for a connection that must end: its client showed a certificate that no trusted authority signed. */
  refuses(connection: TLSSocket): boolean;
  /** Calls `apply` with what `setSecureContext` of a server needs, whenever the files have changed and are in order. */
  onChange(apply: (context: TlsMaterial["context"]) => void): void;
  /** Stops watching the files. */
  close(): void;
}

/** A client that connects and then says nothing must not hold a connection for Node's two minutes. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const NOT_RELOADED = "The certificate was not reloaded, the previous one stays active";

/**
 * Sets HTTPS up when the settings ask for it (specification, "Enabling"). The files are read, and read again within seconds
 * when one of them changes (decision D-UAC 5): new connections then get the new certificate. Broken files leave everything
 * as it is, with an error in the log. Undefined when the server is to speak plain HTTP.
 *
 * @throws ConfigurationError when the settings contradict each other, or name a file that cannot be used, or passwords would
 * cross a network in plain HTTP.
 */
export async function openServerTls(
  settings: Settings,
  log: Logger,
  clock: Clock = systemClock,
): Promise<ServerTls | undefined> {
  if (!asksForHttps(settings)) {
    checkPlainHttp(settings, log);
    return undefined;
  }
  const clientAuth = settings["server.ssl.client-auth"];
  let material: TlsMaterial;
  let putInForce = (): void => {};
  const apply = async (): Promise<void> => {
    material = await readTlsMaterial(settings, clock.now());
    for (const warning of material.warnings) log.warn(warning);
    putInForce();
  };
  const watch = await FileWatch.open({ paths: filesOf(settings), apply, clock, log, failure: NOT_RELOADED });
  return {
    options: () => ({
      ...material.context,
      requestCert: clientAuth !== "none",
      rejectUnauthorized: clientAuth === "need",
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    }),
    certificate: () => describe(material),
    refuses: (connection) =>
      clientAuth === "want" && !connection.authorized && connection.getPeerX509Certificate() !== undefined,
    onChange: (replace) => {
      putInForce = () => {
        replace(material.context);
        const { subject, expires } = describe(material);
        log.info("Certificate reloaded", { subject, expires: expires.toISOString() });
      };
    },
    close: () => watch.close(),
  };
}

function filesOf(settings: Settings): string[] {
  const keys = SETTING_KEYS.filter((key) => key.startsWith("server.ssl.") && settingInfo(key).path);
  return keys.flatMap((key) => (settings[key] === undefined ? [] : [String(settings[key])]));
}

function describe({ certificate }: TlsMaterial): ServerCertificate {
  const { publicKey, validTo } = certificate;
  const key = publicKey.export({ type: "spki", format: "der" });
  const publicKeyPin = createHash("sha256").update(key).digest("base64");
  return { subject: subjectOf(certificate), expires: new Date(validTo), publicKeyPin };
}

/**
 * Looks whether credentials would cross a network without TLS: HTTP Basic is to be used only over TLS (specification,
 * "Authentication" 7), unless a proxy in front has ended it; for bearer tokens a warning is enough. Nothing is wrong on this
 * machine alone, or when no one can log in. Call it for settings that do not ask for HTTPS.
 *
 * @throws ConfigurationError when passwords would.
 */
export function checkPlainHttp(settings: Settings, log: { warn(message: string): void }): void {
  const address = settings["server.address"];
  if (!settings["admin.api.enabled"] || isLoopback(address)) return;
  const { kind } = authenticationMechanism(settings);
  const way = `would cross the network without TLS, as server.address is ${address}`;
  const advice = "set server.ssl.key-store or server.ssl.certificate";
  const behindProxy = settings["admin.api.allow-basic-without-tls"];
  if (kind === "basic" && !behindProxy) {
    const allow = "admin.api.allow-basic-without-tls: true if only a proxy that ends TLS reaches this address";
    throw new ConfigurationError(`passwords ${way}; ${advice}, or ${allow}`);
  }
  if (kind === "token") log.warn(`bearer tokens ${way}; ${advice}`);
}
