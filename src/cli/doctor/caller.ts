import type { ConnectionSettings } from "../connection/settings.ts";

/** Whose credentials are used, and where each part of them is from; nothing secret. */
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
