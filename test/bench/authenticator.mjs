import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashPassword, openSimpleAuthentication } from "trading-admin-api/auth";
import { PASSWORD, USER } from "./credentials.mjs";

/** Writes the access files of the one user of the servers under load into its own folder, and returns it. */
export async function writeAccessFiles() {
  const directory = await mkdtemp(join(tmpdir(), "trading-admin-bench-"));
  const password = await hashPassword(PASSWORD);
  const users = `<config><users><user id="${USER}"><password>${password}</password></user></users></config>`;
  const rules = `<rules><allow><principal>${USER}</principal><permission>HALT_RESUME_TRADING</permission></allow></rules>`;
  await writeFile(join(directory, "uac-file-security.xml"), users);
  await writeFile(join(directory, "uac-access-rules.xml"), rules);
  return directory;
}

/** Knows the one user of the servers under load. */
export async function openAuthenticator() {
  const log = { info() {}, warn() {}, error: console.error };
  const directory = await writeAccessFiles();
  return (await openSimpleAuthentication({ directory, environment: {}, log })).authenticator;
}
