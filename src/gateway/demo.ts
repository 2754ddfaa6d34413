import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ACCESS_RULE_FILE, USER_FILE } from "../auth/security-file.ts";
import { PERMISSIONS, type Permission } from "../core/principal.ts";
import { newAccessFiles } from "./new-access-files.ts";

/** Users of the demo and what they may do. Their passwords are made on the first start. */
const DEMO_USERS: Readonly<Record<string, readonly Permission[]>> = {
  operator: PERMISSIONS,
  riskdesk: ["HALT_RESUME_TRADING", "CHANGE_RISK_LIMITS", "POSITION_ADJUSTMENT"],
  support: ["ENABLE_DISABLE_SERVICE", "CONTROL_FIX_SESSION"],
  viewer: [],
};

/** A demo installation on disk. */
export interface Demo {
  /** Path of its `application.yaml`. */
  readonly configuration: string;
  passwordFile(user: string): string;
}

/**
 * Opens the demo in a folder, and makes it there when it is not there yet: configuration, users with random passwords,
 * access rules. Only the folder's owner can read it, whatever its mode was and that of files in it.
 *
 * @throws Error when the folder belongs to somebody else, who could read the passwords and change the configuration, and when part of a
 * demo is missing, such as a password that its user would be told to use.
 */
export async function openDemo(folder: string): Promise<Demo> {
  const demo: Demo = {
    configuration: join(folder, "application.yaml"),
    passwordFile: (user) => join(folder, `${user}.password`),
  };
  await mkdir(folder, { recursive: true }).catch((cause: Error) => {
    throw new Error(`the demo cannot be made: ${cause.message}; ${ELSEWHERE}`, { cause });
  });
  await closeToOthers(folder);
  // Written last, so a first start that was cut short is made good by the next one.
  if (existsSync(demo.configuration)) await closeFiles(folder, demo);
  else await makeDemo(folder, demo);
  return demo;
}

const ELSEWHERE = "start in another folder, or name a configuration with --config";

async function closeToOthers(folder: string): Promise<void> {
  try {
    // A link that somebody else made may lead to a folder of this user, and root may change folders of all.
    for (const { uid } of [await lstat(folder), await stat(folder)]) {
      if (process.getuid && uid !== process.getuid()) throw new Error(`its owner is ${uid}`);
    }
    await chmod(folder, 0o700);
  } catch (cause) {
    throw new Error(`${folder} cannot be made private: it belongs to another user; ${ELSEWHERE}`, { cause });
  }
}

async function closeFiles(folder: string, demo: Demo): Promise<void> {
  const passwords = Object.keys(DEMO_USERS).map(demo.passwordFile);
  const files = [...passwords, join(folder, USER_FILE), join(folder, ACCESS_RULE_FILE), demo.configuration];
  const missing = files.find((file) => !existsSync(file));
  if (missing)
    throw new Error(`${missing} is missing: delete ${folder} to have the demo made again, with new passwords`);
  for (const file of files) await chmod(file, 0o600);
}

async function makeDemo(folder: string, demo: Demo): Promise<void> {
  const access = await newAccessFiles(DEMO_USERS);
  for (const [user, password] of access.passwords) await writePrivate(demo.passwordFile(user), `${password}\n`);
  await writePrivate(join(folder, USER_FILE), access.userFile);
  await writePrivate(join(folder, ACCESS_RULE_FILE), access.ruleFile);
  await writePrivate(demo.configuration, CONFIGURATION);
}

/** Always a new file: one that exists already may be open elsewhere, or a link. */
async function writePrivate(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
}

const CONFIGURATION = `# Configuration of the demo; docs/reference/settings.md lists every key.
server:
  port: 8988
  address: 127.0.0.1
security:
  oauth2:
    authenticationType: SIMPLE
# The console shows whose it is, so that nobody takes one installation for another.
gateway:
  console:
    name: Demo
    colour: "#0b7285"
`;
