import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { ConfigurationError } from "../config/configuration-error.ts";
import type { Settings } from "../config/settings.ts";

type FileKey =
  | `${"admin.engine" | "admin.shared.nats"}.${"credentials" | `tls.${"ca" | "certificate" | "private-key"}`}`
  | "gateway.monitor.tls.ca"
  | "security.uac.ldap.ca"
  | `server.ssl.${"key-store" | "certificate" | "certificate-private-key" | "trust-store" | "trust-certificate"}`;

/** Text of the file that a setting names. Throws {@link ConfigurationError} when it cannot be read. */
export async function textOfSetting(settings: Settings, key: FileKey): Promise<string | undefined> {
  return (await bytesOfSetting(settings, key))?.toString("utf8");
}

/** Content of the file that a setting names. Throws {@link ConfigurationError} when it cannot be read. */
export async function bytesOfSetting(settings: Settings, key: FileKey): Promise<Buffer | undefined> {
  const file = settings[key];
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (cause) {
    throw new ConfigurationError(`${key}: the file cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Name of this gateway, in records and for people at the others. */
export function nameOfGateway(settings: Settings): string {
  return settings["admin.gateway.name"] ?? hostname();
}

/** Imports what needs packages that are optional: `setting` asks for it, `packages` are their names. */
export async function installed<T>(load: () => Promise<T>, setting: string, packages: string): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new ConfigurationError(`${setting} needs a package that is not installed; run: npm install ${packages}`, {
      cause,
    });
  }
}
