import { clientCredentials } from "../../client/client-credentials.ts";
import { basic, bearer, type Credentials } from "../../client/credentials.ts";
import type { Fetch } from "../../client/exchange.ts";
import { UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";
import { textOfFile } from "../process.ts";
import { warn } from "../terminal/messages.ts";
import type { CredentialSettings } from "./settings.ts";

const NO_CREDENTIALS =
  "say who you are: --user with --password-file or the variable TRADING_ADMIN_PASSWORD, or --token-file or the variable " +
  "TRADING_ADMIN_TOKEN, or --token-url with --client-id and --client-secret-file, or a profile";

/**
 * Credentials as the settings say; a password that nothing gives is asked for at the terminal.
 *
 * @throws UsageError when there are none, and for a secret that cannot be read.
 */
export async function openCredentials(settings: CredentialSettings, fetch: Fetch): Promise<Credentials> {
  const { user, tokenUrl, tokenFile, token } = settings;
  try {
    if (tokenUrl !== undefined) return grantedTo(tokenUrl, settings, fetch);
    if (tokenFile === "-") {
      const typed = await secretIn("-", "token");
      return bearer(() => typed);
    }
    if (tokenFile !== undefined) return bearer(() => secretIn(tokenFile, "token"));
    if (user !== undefined) return basic(user, await passwordOf(user, settings));
    if (token !== undefined) return bearer(() => token);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
  throw new UsageError(NO_CREDENTIALS);
}

async function passwordOf(user: string, settings: CredentialSettings): Promise<string> {
  const { passwordFile, passwordCommand, password } = settings;
  if (passwordFile !== undefined) return secretIn(passwordFile, "password");
  if (passwordCommand !== undefined) return secretFrom(passwordCommand);
  if (password !== undefined) return password;
  if (!process.stdin.isTTY) throw new UsageError(NO_CREDENTIALS);
  const { askSecret } = await import("../terminal/prompt.ts");
  return askSecret(`Password of ${user}: `);
}

function grantedTo(tokenUrl: string, settings: CredentialSettings, fetch: Fetch): Credentials {
  const { clientId, clientSecretFile, scope, audience, resource } = settings;
  if (clientId === undefined || clientSecretFile === undefined) {
    throw new UsageError("--token-url needs --client-id and --client-secret-file");
  }
  const clientSecret = secretOfFile(clientSecretFile, "client secret");
  return bearer(clientCredentials({ tokenUrl, clientId, clientSecret, scope, audience, resource, fetch }));
}

async function secretIn(file: string, what: string): Promise<string> {
  if (file !== "-") return secretOfFile(file, what);
  const { text } = await import("node:stream/consumers");
  return secretOf(await text(process.stdin), `the ${what} on standard input`);
}

function secretOfFile(file: string, what: string): string {
  return secretOf(textOfFile(file, `the ${what} file cannot be read`), `the ${what} in ${file}`);
}

/** Output of a password manager, which may ask at the terminal; its standard error is shown. */
async function secretFrom(command: string): Promise<string> {
  const { spawnSync } = await import("node:child_process");
  const { status, stdout, error, signal } = spawnSync(command, {
    shell: true,
    encoding: "utf8",
    stdio: ["inherit", "pipe", "inherit"],
  });
  if (status === 0) return secretOf(stdout, "what password-command printed");
  const why = error?.message ?? (signal ? `it was ended by ${signal}` : `it ended with exit code ${status}`);
  throw new UsageError(`password-command gave no password: ${why}`);
}

/** Editors end a file with a line end, which is not part of the secret; other white space may be, and seldom is. */
function secretOf(text: string, what: string): string {
  const secret = text.replace(/\r?\n$/, "");
  if (secret !== secret.trim()) {
    warn(`${what} begins or ends with white space, which is sent as a part of it; if it is refused, remove that`);
  }
  return secret;
}

/** TLS material in PEM. */
export type BusTls = Partial<Record<"ca" | "cert" | "key", string>>;

/** The token in the file of `--token-file`; undefined without one. */
export function readToken(file: Options[string]): string | undefined {
  if (typeof file !== "string") return undefined;
  const token = textOfFile(file, "--token-file: the file cannot be read").trim();
  if (token === "") throw new UsageError(`--token-file: ${file} is empty`);
  return token;
}

/** Contents of the files of `--tls-ca`, `--tls-certificate` and `--tls-private-key`, as far as they are given. */
export function readTls({ tlsCa, tlsCertificate, tlsPrivateKey }: Options): BusTls {
  const files = { ca: tlsCa, cert: tlsCertificate, key: tlsPrivateKey };
  const texts = Object.entries(files).flatMap(([name, file]) =>
    typeof file === "string" ? [[name, textOfFile(file, `${file}: cannot be read`)]] : [],
  );
  return Object.fromEntries(texts);
}
