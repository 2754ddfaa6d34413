import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { hashPassword } from "../auth/passwords/scrypt.ts";
import { ACCESS_RULE_FILE, USER_FILE } from "../auth/security-file.ts";
import { SETTING_KEYS, type SettingKey, settingInfo } from "../config/settings.ts";
import { PERMISSIONS } from "../core/principal.ts";
import { newAccessFiles } from "../gateway/new-access-files.ts";
import { UsageError } from "./exit-codes.ts";
import type { Run } from "./framework/definition.ts";
import { wrapped } from "./output/columns.ts";
import { thisCommand } from "./process.ts";
import { printInfo } from "./terminal/messages.ts";
import { write, writeWords } from "./terminal/output.ts";
import { askSecret } from "./terminal/prompt.ts";

const CONFIGURATION_FILE = "application.yaml";

/** Names that are valid in a file name, an XML attribute and HTTP Basic. */
const USER_NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;

/**
 * `init`: writes a commented `application.yaml` and access files with one user, who may do everything, into the current folder; only its
 * owner can read them. Prints the names of the files. Nothing is overwritten: a configuration that is there stays, and so do access files.
 */
export const run: Run = async ({ options }) => {
  const user = options.user?.toString() ?? "operator";
  if (!USER_NAME.test(user))
    throw new UsageError(`--user: must be 1 to 64 of A-Z a-z 0-9 . _ @ -, is ${JSON.stringify(user)}`);
  const passwordFile = `${user}.password`;
  const { access, configuration } = missingParts(passwordFile);
  const files = new Map([
    ...(configuration ? [[CONFIGURATION_FILE, configurationTemplate(CHOSEN)] as const] : []),
    ...(access ? await accessFiles(user, passwordFile) : []),
  ]);
  await writeAll(files);
  write(`${[...files.keys()].join("\n")}\n`);
  if (!configuration) printInfo(`${CONFIGURATION_FILE} is there already and stays as it is`);
  if (!access) printInfo(`${USER_FILE} and ${ACCESS_RULE_FILE} are there already and stay as they are`);
  writeWords(nextSteps(access ? { user, passwordFile } : undefined));
};

/** What the folder lacks: a configuration, access files with a password. */
interface MissingParts {
  readonly configuration: boolean;
  readonly access: boolean;
}

/** @throws Error where nothing is missing, or a part of the access files: new ones would not fit to those that are there. */
function missingParts(passwordFile: string): MissingParts {
  const isThere = (name: string): boolean => existsSync(name);
  const access = ![USER_FILE, ACCESS_RULE_FILE, passwordFile].some(isThere);
  const isWhole = [USER_FILE, ACCESS_RULE_FILE].every(isThere);
  const there = [CONFIGURATION_FILE, USER_FILE, ACCESS_RULE_FILE, passwordFile].filter(isThere);
  if (access || (isWhole && !isThere(CONFIGURATION_FILE)))
    return { configuration: !isThere(CONFIGURATION_FILE), access };
  const verb = there.length === 1 ? "is" : "are";
  const why = isWhole ? "" : ", and access files are written together";
  throw new Error(`nothing was written: ${there.join(", ")} ${verb} there already${why}; use another folder`);
}

async function accessFiles(user: string, passwordFile: string): Promise<[name: string, text: string][]> {
  const { userFile, ruleFile, passwords } = await newAccessFiles({ [user]: PERMISSIONS });
  return [
    [USER_FILE, userFile],
    [ACCESS_RULE_FILE, ruleFile],
    [passwordFile, `${passwords.get(user)}\n`],
  ];
}

/**
 * `hash-password`: reads a password from a prompt, or the first line of standard input, and prints its hash for
 * `uac-file-security.xml`. A password is never an argument: other users could see it in the process list.
 */
export const printHash: Run = async () => {
  const typed = process.stdin.isTTY ? await askSecret("Password: ") : await text(process.stdin);
  const [password = ""] = typed.split(/\r?\n/, 1);
  write(`${await hashPassword(password)}\n`);
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

function nextSteps(login: Login | undefined): string {
  const command = thisCommand();
  const start = `
The gateway runs with the simulated engine until admin.engine.transport names another one. Start it, and look:

  ${command} serve --config ${CONFIGURATION_FILE}
`;
  if (login === undefined) return start;
  const { user, passwordFile } = login;
  return `${start}  ${command} trading status --user ${user} --password-file ${passwordFile}

The password of ${user} is in ${passwordFile}; the gateway itself keeps only its hash. Store it safely and remove the file.
`;
}

/** The user whose password was made. */
interface Login {
  readonly user: string;
  readonly passwordFile: string;
}

const WIDTH = 110;

const HEAD = `# Configuration of a gateway. Every setting is here with its meaning; those that begin with # have their defaults.
# "trading-admin check-config --config application.yaml" checks it and says where each value comes from.
# Environment variables and arguments go before this file: SERVER_PORT=9000, --server.port=9000.
`;

/** An `application.yaml` with every setting: those of `chosen` with these values, all others commented out with their defaults. */
export function configurationTemplate(chosen: Readonly<Partial<Record<SettingKey, string>>>): string {
  return [HEAD, ...SETTING_KEYS.map((key) => describe(key, chosen[key]))].join("\n");
}

function describe(key: SettingKey, chosen: string | undefined): string {
  const { meaning, values, fallback, list } = settingInfo(key);
  const comment = wrapped(`${meaning} Values: ${values}.`, WIDTH).map((line) => `# ${line}\n`);
  const value = chosen ?? fallback;
  const written = list && value === "" ? "[]" : value;
  const line = `${key.replace("*", "NAME")}:${written === undefined ? "" : ` ${scalar(written)}`}`;
  return `${comment.join("")}${chosen === undefined ? "#" : ""}${line}\n`;
}

/** A text as YAML takes it for a text; plain where that is safe. */
function scalar(text: string): string {
  return /^(?:[A-Za-z0-9./][\w./-]*|\[\])$/.test(text) ? text : JSON.stringify(text);
}
