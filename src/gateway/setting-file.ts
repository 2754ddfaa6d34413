import { readFile } from "node:fs/promises";
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
