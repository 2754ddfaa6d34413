import { encodeHttpRequest } from "../../client/request.ts";
import { ROUTES } from "../../client/routes.ts";
import { BASE_PATH } from "../../core/conventions.ts";
import { shellWord } from "../../core/values/basics.ts";
import { rootOf } from "../connection/addresses.ts";
import { readConnectionSettings } from "../connection/connect.ts";
import { addressOf, type ConnectionSettings, type CredentialSettings } from "../connection/settings.ts";
import type { Options } from "../framework/definition.ts";
import { printInfo } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import type { Command } from "./describe-command.ts";

export async function printCurls(options: Options, commands: readonly Command[]): Promise<number> {
  for (const command of commands) await printCurl(options, command);
  return 0;
}

/** Prints the request as a `curl` command for a POSIX shell, which reads secrets from where they are. Sends nothing. */
export async function printCurl(options: Options, { operation, input }: Command): Promise<number> {
  const settings = await readConnectionSettings(options);
  const { method, path, body } = encodeHttpRequest(ROUTES[operation], input);
  const root = rootOf(addressOf(settings.addresses[0] ?? ""));
  const words = [
    "curl --fail-with-body --silent --show-error",
    `-X ${method}`,
    ...tlsWords(settings),
    credentialWords(settings.credentials),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data ${shellWord(body)}`]),
    shellWord(`${root}${BASE_PATH}${path}`),
  ];
  write(`${words.join(" ")}\n`);
  if (settings.credentials.tokenUrl !== undefined)
    printInfo(`put an access token of ${settings.credentials.tokenUrl} into TOKEN`);
  return 0;
}

function tlsWords({ ca, certificate, privateKey }: ConnectionSettings): string[] {
  const files = { cacert: ca, cert: certificate, key: privateKey };
  return Object.entries(files).flatMap(([option, file]) =>
    file === undefined ? [] : [`--${option} ${shellWord(file)}`],
  );
}

function credentialWords({ user, passwordFile, passwordCommand, tokenFile, token }: CredentialSettings): string {
  if (user !== undefined) {
    const name = shellWord(user);
    if (passwordCommand !== undefined) return `-u ${name}:"$(${passwordCommand})"`;
    // Without a password curl asks for one.
    return passwordFile === undefined
      ? `-u ${name}:"$TRADING_ADMIN_PASSWORD"`
      : `-u ${name}:"$(cat ${shellWord(passwordFile)})"`;
  }
  if (tokenFile !== undefined) return `-H "Authorization: Bearer $(cat ${shellWord(tokenFile)})"`;
  return token === undefined ? `-H "Authorization: Bearer $TOKEN"` : `-H "Authorization: Bearer $TRADING_ADMIN_TOKEN"`;
}
