import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { clientCredentials } from "../client/client-credentials.ts";
import { basic, bearer, type Credentials } from "../client/credentials.ts";

/** Where a gateway is, and who calls it. Secrets are in files or in the environment: other users can see arguments. */
export interface ConnectionOptions {
  readonly url: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly tokenFile?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly scope?: string;
  readonly audience?: string;
  readonly resource?: string;
}

const NOBODY =
  "say who you are: --user with --password-file or the variable TRADING_ADMIN_PASSWORD, or --token-file or the variable " +
  "TRADING_ADMIN_TOKEN, or --token-url with --client-id and --client-secret-file";

/** Adds the options of {@link ConnectionOptions} to a command. */
export function withConnection(command: Command): Command {
  return command
    .addOption(
      new Option("--url <url>", "where the gateway is").env("TRADING_ADMIN_URL").default("http://127.0.0.1:8988"),
    )
    .addOption(new Option("--user <name>", "user of HTTP Basic").env("TRADING_ADMIN_USER"))
    .option("--password-file <file>", "file with his password; without it, TRADING_ADMIN_PASSWORD")
    .option("--token-file <file>", "file with an access token, read for each request; without it, TRADING_ADMIN_TOKEN")
    .option("--token-url <url>", "token endpoint of the identity provider, for the client credentials grant")
    .option("--client-id <id>", "client id for the token endpoint")
    .option("--client-secret-file <file>", "file with the client secret for the token endpoint")
    .option("--scope <scopes>", "scopes to ask the token endpoint for, separated by blanks")
    .option("--audience <name>", "audience to ask it for, where it takes one as audience")
    .option("--resource <uri>", "audience to ask it for, where it takes one as resource (RFC 8707)");
}

/** The credentials that options and environment give. Throws when they give none. */
export function credentialsOf(options: ConnectionOptions, environment: NodeJS.ProcessEnv): Credentials {
  const { user, passwordFile, tokenFile, tokenUrl } = options;
  const { TRADING_ADMIN_PASSWORD: password, TRADING_ADMIN_TOKEN: token } = environment;
  if (tokenUrl !== undefined) return grantedTo(tokenUrl, options);
  if (tokenFile !== undefined) return bearer(() => secretIn(tokenFile));
  if (user !== undefined && passwordFile !== undefined) return basic(user, secretIn(passwordFile));
  if (user !== undefined && password !== undefined) return basic(user, password);
  if (token !== undefined) return bearer(() => token);
  throw new Error(NOBODY);
}

function grantedTo(tokenUrl: string, options: ConnectionOptions): Credentials {
  const { clientId, clientSecretFile, scope, audience, resource } = options;
  if (clientId === undefined || clientSecretFile === undefined) {
    throw new Error("--token-url needs --client-id and --client-secret-file");
  }
  const clientSecret = secretIn(clientSecretFile);
  return bearer(clientCredentials({ tokenUrl, clientId, clientSecret, scope, audience, resource }));
}

/** Editors end a file with a line end, which is no part of the secret. */
function secretIn(file: string): string {
  return readFileSync(file, "utf8").replace(/\r?\n$/, "");
}
