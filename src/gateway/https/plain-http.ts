import { ConfigurationError } from "../../config/configuration-error.ts";
import { authenticationMechanism } from "../../config/mechanism.ts";
import type { Settings } from "../../config/settings.ts";
import { isLoopback } from "../../core/loopback.ts";

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
