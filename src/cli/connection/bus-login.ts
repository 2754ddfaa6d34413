import { UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";
import { textOfFile } from "../process.ts";

/** TLS material in PEM. */
export type BusTls = Partial<Record<"ca" | "cert" | "key", string>>;

/** The token in the file of `--token-file`; undefined without one. */
export function readToken(file: Options[string]): string | undefined {
  if (typeof file !== "string") return undefined;
  const token = textOfFile(file, "--token-file: the file cannot be read").trim();
  if (token === "") throw new UsageError(`--token-file: ${file} is empty`);
  return token;
}

/** What the files of `--tls-ca`, `--tls-certificate` and `--tls-private-key` hold; no members for those that are not given. */
export function readTls({ tlsCa, tlsCertificate, tlsPrivateKey }: Options): BusTls {
  const files = { ca: tlsCa, cert: tlsCertificate, key: tlsPrivateKey };
  const texts = Object.entries(files).flatMap(([name, file]) =>
    typeof file === "string" ? [[name, textOfFile(file, `${file}: cannot be read`)]] : [],
  );
  return Object.fromEntries(texts);
}
