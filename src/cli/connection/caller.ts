import type { Fetch } from "../../client/exchange.ts";
import { once } from "../../core/values/basics.ts";
import type { ConnectionSettings } from "./settings.ts";

/** Describes the credentials in use and the source of each part; nothing secret. */
export function callerOf({ credentials, origins }: ConnectionSettings): string {
  const { user, tokenUrl, tokenFile, clientId, passwordFile, passwordCommand, password } = credentials;
  if (tokenUrl !== undefined) return `client ${clientId} at ${tokenUrl} (${origins.tokenUrl})`;
  if (tokenFile !== undefined) return `token in ${fileNamed(tokenFile)} (${origins.tokenFile})`;
  if (user === undefined) return `token (${origins.token})`;
  const secret =
    (passwordFile !== undefined && `password in ${fileNamed(passwordFile)} (${origins.passwordFile})`) ||
    (passwordCommand !== undefined && `password of password-command (${origins.passwordCommand})`) ||
    (password !== undefined && `password (${origins.password})`) ||
    "password as it was typed";
  return `user ${user} (${origins.user}), ${secret}`;
}

function fileNamed(file: string): string {
  return file === "-" ? "standard input" : file;
}

/**
 * Says once whose password a gateway refuses: one that the environment gives may be for another installation. Of tokens it says nothing, as the
 * client replaces one that has expired.
 */
export function namingRefused(fetch: Fetch, settings: ConnectionSettings, notify: (words: string) => void): Fetch {
  const { user, tokenFile, tokenUrl } = settings.credentials;
  if (user === undefined || tokenFile !== undefined || tokenUrl !== undefined) return fetch;
  const tell = once(() => notify(`401 for ${callerOf(settings)}`));
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status === 401) tell();
    return response;
  };
}
