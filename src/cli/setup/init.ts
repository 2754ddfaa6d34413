import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { ACCESS_RULE_FILE, USER_FILE } from "../../auth/security-file.ts";
import { PERMISSIONS } from "../../core/principal.ts";
import { newAccessFiles } from "../../gateway/new-access-files.ts";
import type { Run } from "../command/definition.ts";
import { UsageError } from "../exit-codes.ts";
import { thisCommand } from "../process.ts";
import { configurationTemplate } from "./configuration-template.ts";

const CONFIGURATION_FILE = "application.yaml";

/** What a file name, an XML attribute and HTTP Basic can all carry. */
const USER_NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;

/**
 * `init`: writes a commented `application.yaml` and access files with one user, who may do everything, into the current folder; only its
 * owner can read them. Prints the names of the files. Nothing is overwritten: when one of them is there, none is written.
 */
export const run: Run = async ({ options }) => {
  const user = options.user?.toString() ?? "operator";
  if (!USER_NAME.test(user))
    throw new UsageError(`--user: must be 1 to 64 of A-Z a-z 0-9 . _ @ -, is ${JSON.stringify(user)}`);
  const passwordFile = `${user}.password`;
  const names = [CONFIGURATION_FILE, USER_FILE, ACCESS_RULE_FILE, passwordFile];
  const there = names.filter((name) => existsSync(name));
  if (there.length > 0) {
    throw new Error(
      `nothing was written: ${there.join(", ")} ${there.length === 1 ? "is" : "are"} there already; use an empty folder`,
    );
  }
  const { userFile, ruleFile, passwords } = await newAccessFiles({ [user]: PERMISSIONS });
  await writeAll(
    new Map([
      [passwordFile, `${passwords.get(user)}\n`],
      [USER_FILE, userFile],
      [ACCESS_RULE_FILE, ruleFile],
      [CONFIGURATION_FILE, configurationTemplate(CHOSEN)],
    ]),
  );
  process.stdout.write(`${names.join("\n")}\n`);
  process.stderr.write(nextSteps(user, passwordFile));
};

const CHOSEN = {
  "server.port": "8988",
  "server.address": "127.0.0.1",
  "admin.audit.file": "audit.jsonl",
  "security.oauth2.authenticationType": "SIMPLE",
} as const;

/** Writes all of the files or none: what a later one prevents is taken away again. */
async function writeAll(files: ReadonlyMap<string, string>): Promise<void> {
  const written: string[] = [];
  try {
    for (const [name, text] of files) {
      await writeFile(name, text, { mode: 0o600, flag: "wx" });
      written.push(name);
    }
  } catch (cause) {
    for (const name of written) await rm(name, { force: true });
    throw new Error(`nothing was written: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function nextSteps(user: string, passwordFile: string): string {
  const command = thisCommand();
  return `
The gateway runs with the simulated engine until admin.engine.transport names another one. Start it, and look:

  ${command} serve --config ${CONFIGURATION_FILE}
  ${command} trading status --user ${user} --password-file ${passwordFile}

The password of ${user} is in ${passwordFile}; the gateway itself keeps only its hash. Store it safely and remove the file.
`;
}
