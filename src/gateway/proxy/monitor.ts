import { ConfigurationError } from "../../config/configuration-error.ts";
import { authenticationMechanism } from "../../config/mechanism.ts";
import type { Settings } from "../../config/settings.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import type { Logger } from "../../core/logger.ts";
import { documentAt } from "../../files/package-files.ts";
import type { TrustedProxies } from "../../http/admin-http-options.ts";
import { CallerAddresses } from "../../http/client-address.ts";
import { textOfSetting } from "../from-settings.ts";
import type { MonitorProxy } from "./monitor-proxy.ts";
import { claimer } from "./own-paths.ts";
import { SharedOrigin } from "./shared-origin.ts";

export function trustedProxiesOf(settings: Settings): TrustedProxies & Required<Pick<TrustedProxies, "header">> {
  return { addresses: settings["server.trusted-proxies"], header: settings["server.forwarded-header"] };
}

/** Reads the certificate authorities trusted for the monitor, PEM. Throws `ConfigurationError` if they are unreadable or invalid. */
export async function monitorAuthorities(settings: Settings): Promise<string | undefined> {
  const ca = await textOfSetting(settings, "gateway.monitor.tls.ca");
  if (ca !== undefined && settings["gateway.monitor.url"]?.protocol !== "https:") {
    throw new ConfigurationError(
      "gateway.monitor.tls.ca: is of use only when gateway.monitor.url begins with https://",
    );
  }
  return ca;
}

/** Whether pages to which browsers send passwords have the origin of the monitor's. */
function hasSharedOrigin(settings: Settings): boolean {
  const isShared = settings["gateway.monitor.url"] !== undefined && settings["gateway.pages.host"] === undefined;
  return isShared && settings["admin.api.enabled"] && authenticationMechanism(settings).kind === "basic";
}

/** Startup warning while our pages share the monitor's origin. */
export function sharedOriginWarning(settings: Settings): string | undefined {
  if (!hasSharedOrigin(settings)) return undefined;
  return (
    "gateway.pages.host: is not set, so the console and the interactive page have the origin of the monitor backend: its pages can read what an " +
    `operator may read, imitate them, and take up the browser's connections, so that a halt waits (${documentAt("understand/security")})`
  );
}

interface MonitorParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly api: AdminApi;
}

/**
 * Opens the proxy to the monitor backend, if the settings name one. Everything below `ownPaths` is the gateway's. It does not connect
 * yet: the monitor may come and go.
 *
 * @throws ConfigurationError when the authorities for the monitor's certificate cannot be read.
 */
export async function openMonitor(
  { settings, log, api }: MonitorParts,
  ownPaths: readonly string[],
): Promise<MonitorProxy | undefined> {
  const url = settings["gateway.monitor.url"];
  const ca = await monitorAuthorities(settings);
  if (url === undefined) return undefined;
  const proxies = trustedProxiesOf(settings);
  const isOurs = claimer(ownPaths);
  const { MonitorProxy } = await import("./monitor-proxy.ts");
  return new MonitorProxy({
    url,
    ca,
    gate: api.gate,
    connectTimeoutMs: settings["gateway.monitor.connect-timeout"],
    responseTimeoutMs: settings["gateway.monitor.response-timeout"],
    forwarding: { callers: new CallerAddresses(proxies), header: proxies.header },
    isOurs,
    shared: hasSharedOrigin(settings) ? new SharedOrigin(isOurs) : undefined,
    log,
  });
}
