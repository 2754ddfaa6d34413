import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Settings } from "../../config/settings.ts";
import { textOfSetting } from "../setting-file.ts";

/** How an engine in another process is reached. */
export interface EngineLinkSettings {
  readonly urls: readonly [string, ...string[]];
  readonly token: string | undefined;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  /** Content of a NATS credentials file. */
  readonly credentials: string | undefined;
}

type WireTransport = Exclude<Settings["admin.engine.transport"], "in-process">;

const SCHEMES: Readonly<Record<WireTransport, readonly string[]>> = {
  websocket: ["ws:", "wss:"],
  nats: ["nats:", "tls:"],
};

/** Reads what the settings say of the link. Throws {@link ConfigurationError} when they do not fit together. */
export async function engineLinkSettings(settings: Settings, transport: WireTransport): Promise<EngineLinkSettings> {
  const [first, ...more] = settings["admin.engine.url"] ?? [];
  if (first === undefined) {
    throw new ConfigurationError(`admin.engine.url: is required when admin.engine.transport is ${transport}`);
  }
  if (transport === "websocket" && more.length > 0) {
    throw new ConfigurationError("admin.engine.url: must be one URL when admin.engine.transport is websocket");
  }
  for (const url of [first, ...more]) checkScheme(url, transport);
  return {
    urls: [first, ...more],
    token: settings["admin.engine.token"],
    tls: await tlsMaterial(settings),
    credentials: await textOfSetting(settings, "admin.engine.credentials"),
  };
}

function checkScheme(url: string, transport: WireTransport): void {
  const schemes = SCHEMES[transport];
  if (schemes.includes(new URL(url).protocol)) return;
  const expected = schemes.map((scheme) => `${scheme}//`).join(" or ");
  throw new ConfigurationError(
    `admin.engine.url: must begin with ${expected} when admin.engine.transport is ${transport}, is "${url}"`,
  );
}

async function tlsMaterial(settings: Settings): Promise<EngineLinkSettings["tls"]> {
  const ca = await textOfSetting(settings, "admin.engine.tls.ca");
  const cert = await textOfSetting(settings, "admin.engine.tls.certificate");
  const key = await textOfSetting(settings, "admin.engine.tls.private-key");
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigurationError(
      "admin.engine.tls.certificate and admin.engine.tls.private-key: both are needed, or neither",
    );
  }
  if (ca === undefined && cert === undefined) return undefined;
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}
