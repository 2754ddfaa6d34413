import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A certificate and its private key, PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority, the certificates that it has given, and one that it has not. */
export interface Certificates {
  readonly ca: string;
  readonly engine: Certificate;
  readonly gateway: Certificate;
  readonly stranger: Certificate;
}

/** Makes certificates for 127.0.0.1 with the system's openssl. */
export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), "certificates-"));
  try {
    const authority = await issue(folder, "authority");
    return {
      ca: authority.cert,
      engine: await issue(folder, "engine", "authority"),
      gateway: await issue(folder, "gateway", "authority"),
      stranger: await issue(folder, "stranger"),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function issue(folder: string, name: string, issuer?: string): Promise<Certificate> {
  const file = (end: string): string => join(folder, `${name}.${end}`);
  const from = (end: string): string => join(folder, `${issuer}.${end}`);
  await openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file("key"));
  if (issuer === undefined) {
    await openssl(
      "req",
      "-x509",
      "-new",
      "-key",
      file("key"),
      "-out",
      file("crt"),
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
    );
  } else {
    await writeFile(file("ext"), "subjectAltName=IP:127.0.0.1\n");
    await openssl("req", "-new", "-key", file("key"), "-out", file("csr"), "-subj", `/CN=${name}`);
    const signed = ["-in", file("csr"), "-CA", from("crt"), "-CAkey", from("key"), "-set_serial", `${Date.now()}`];
    await openssl("x509", "-req", ...signed, "-days", "2", "-extfile", file("ext"), "-out", file("crt"));
  }
  return { cert: await readFile(file("crt"), "utf8"), key: await readFile(file("key"), "utf8") };
}

async function openssl(...options: string[]): Promise<void> {
  try {
    await run("openssl", options);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new Error(
      "The TLS tests make their certificates with openssl, which is missing: install the package openssl",
      {
        cause,
      },
    );
  }
}
