import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Settings } from "../../config/settings.ts";
import { hostOf, isLoopback, withoutSecrets } from "../../core/urls.ts";
import { textOfSetting } from "../from-settings.ts";

export interface LinkSettings {
  readonly urls: readonly [string, ...string[]];
  readonly token: string | undefined;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  /** Content of a NATS credentials file. */
  readonly credentials: string | undefined;
}

type WireTransport = Exclude<Settings["admin.engine.transport"], "in-process">;

type LinkPrefix = "admin.engine" | "admin.shared.nats";

const TLS_FILES = ["ca", "certificate", "private-key"] as const;

const SCHEMES: Readonly<Record<WireTransport, readonly string[]>> = {
  websocket: ["ws:", "wss:"],
  nats: ["nats:", "tls:"],
};

/** Reads what the settings say of the link to the engine. Throws {@link ConfigurationError} when they do not fit together. */
export async function engineLinkSettings(settings: Settings, transport: WireTransport): Promise<LinkSettings> {
  if (settings["admin.engine.fix-port"] !== undefined) {
    throw new ConfigurationError(
      "admin.engine.fix-port: needs admin.engine.transport in-process; an engine in another process opens its own (trading-admin engine --fix-port)",
    );
  }
  const [first, ...more] = settings["admin.engine.url"] ?? [];
  if (first === undefined) {
    throw new ConfigurationError(`admin.engine.url: is required when admin.engine.transport is ${transport}`);
  }
  if (transport === "websocket" && more.length > 0) {
    throw new ConfigurationError("admin.engine.url: must be one URL when admin.engine.transport is websocket");
  }
  for (const url of [first, ...more]) checkScheme(url, transport);
  return { urls: [first, ...more], ...(await loginSettings(settings, "admin.engine")) };
}

/**
 * Reads how the NATS servers are reached over which gateways share things: by separate settings, or as an engine on NATS is; undefined
 * where there is neither. Throws {@link ConfigurationError} when they do not fit together.
 */
export async function sharedNatsSettings(settings: Settings): Promise<LinkSettings | undefined> {
  const [first, ...more] = settings["admin.shared.nats.url"] ?? [];
  const login = await loginSettings(settings, "admin.shared.nats");
  if (first !== undefined) return { urls: [first, ...more], ...login };
  if (Object.values(login).some((value) => value !== undefined)) {
    throw new ConfigurationError(
      "admin.shared.nats.url: is required when there are other settings of admin.shared.nats",
    );
  }
  if (settings["admin.engine.transport"] === "nats") return engineLinkSettings(settings, "nats");
  if (settings["admin.policy.two-person.store"] === "nats") {
    throw new ConfigurationError(
      "admin.policy.two-person.store: nats needs servers; give admin.shared.nats.url, or an engine on NATS",
    );
  }
  return undefined;
}

/** Startup warnings about secrets that cross a network in plain text. A TLS setting makes NATS encrypt whatever its scheme. */
export function plainLinkWarnings(settings: Settings): string[] {
  const engine = settings["admin.engine.transport"] === "in-process" ? [] : ["admin.engine" as const];
  return [...engine, "admin.shared.nats" as const].flatMap((prefix) => {
    const secret = (["token", "credentials"] as const).find((name) => settings[`${prefix}.${name}`] !== undefined);
    const url = settings[`${prefix}.url`]?.map((text) => new URL(text)).find((link) => isPlain(settings, prefix, link));
    if (secret === undefined || url === undefined) return [];
    const better = url.protocol === "ws:" ? "wss://" : "tls://";
    return `${prefix}.${secret} would cross the network without TLS, as ${prefix}.url is ${withoutSecrets(url.href)}; use ${better}`;
  });
}

function isPlain(settings: Settings, prefix: LinkPrefix, url: URL): boolean {
  if (isLoopback(hostOf(url))) return false;
  if (url.protocol === "ws:") return true;
  return url.protocol === "nats:" && TLS_FILES.every((name) => settings[`${prefix}.tls.${name}`] === undefined);
}

function checkScheme(url: string, transport: WireTransport): void {
  const schemes = SCHEMES[transport];
  if (schemes.includes(new URL(url).protocol)) return;
  const expected = schemes.map((scheme) => `${scheme}//`).join(" or ");
  throw new ConfigurationError(
    `admin.engine.url: must begin with ${expected} when admin.engine.transport is ${transport}, is "${withoutSecrets(url)}"`,
  );
}

async function loginSettings(settings: Settings, prefix: LinkPrefix): Promise<Omit<LinkSettings, "urls">> {
  return {
    token: settings[`${prefix}.token`],
    tls: await tlsMaterial(settings, prefix),
    credentials: await textOfSetting(settings, `${prefix}.credentials`),
  };
}

async function tlsMaterial(settings: Settings, prefix: LinkPrefix): Promise<LinkSettings["tls"]> {
  const ca = await textOfSetting(settings, `${prefix}.tls.ca`);
  const cert = await textOfSetting(settings, `${prefix}.tls.certificate`);
  const key = await textOfSetting(settings, `${prefix}.tls.private-key`);
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigurationError(
      `${prefix}.tls.certificate and ${prefix}.tls.private-key: both are needed, or neither`,
    );
  }
  if (ca === undefined && cert === undefined) return undefined;
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}
