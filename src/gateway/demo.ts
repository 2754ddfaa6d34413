import { randomBytes } from "node:crypto";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashPassword } from "../auth/passwords/scrypt.ts";
import { PERMISSIONS, type Permission } from "../core/operations/permission.ts";

/** Users of the demo and what they may do. Their passwords are made on the first start. */
const DEMO_USERS: Readonly<Record<string, readonly Permission[]>> = {
  operator: PERMISSIONS,
  riskdesk: ["HALT_RESUME_TRADING", "CHANGE_RISK_LIMITS", "POSITION_ADJUSTMENT"],
  support: ["ENABLE_DISABLE_SERVICE", "CONTROL_FIX_SESSION"],
  viewer: [],
};

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

/** A demo installation on disk. */
export interface Demo {
  /** Path of its `application.yaml`. */
  readonly configuration: string;
  /** File that holds the password of a user. */
  passwordFile(user: string): string;
}

/**
 * Opens the demo in a folder, and makes it there when it is not there yet: configuration, users with random passwords,
 * access rules. Only the folder's owner can read it.
 */
export async function openDemo(folder: string): Promise<Demo> {
  const demo: Demo = {
    configuration: join(folder, "application.yaml"),
    passwordFile: (user) => join(folder, `${user}.password`),
  };
  // Written last, so a first start that was cut short is made good by the next one.
  if (!(await exists(demo.configuration))) await makeDemo(folder, demo);
  return demo;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

async function makeDemo(folder: string, demo: Demo): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const users: string[] = [];
  for (const user of Object.keys(DEMO_USERS)) {
    const password = randomBytes(15).toString("base64url");
    await writePrivate(demo.passwordFile(user), `${password}\n`);
    users.push(`    <user id="${user}"><password>${await hashPassword(password)}</password></user>`);
  }
  await writePrivate(join(folder, "uac-file-security.xml"), userFile(users));
  await writePrivate(join(folder, "uac-access-rules.xml"), ruleFile());
  await writePrivate(demo.configuration, CONFIGURATION);
}

function writePrivate(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600 });
}

function userFile(users: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<config xmlns="${NAMESPACE}">
  <users>
${users.join("\n")}
  </users>
</config>
`;
}

function ruleFile(): string {
  const rules = Object.entries(DEMO_USERS)
    .filter(([, permissions]) => permissions.length > 0)
    .map(([user, permissions]) => {
      const granted = permissions.map((permission) => `    <permission>${permission}</permission>`);
      return `  <allow>\n    <principal>${user}</principal>\n${granted.join("\n")}\n  </allow>`;
    });
  return `<?xml version="1.0" encoding="UTF-8"?>
<rules xmlns="${NAMESPACE}">
${rules.join("\n")}
</rules>
`;
}

const CONFIGURATION = `# Configuration of the demo; docs/reference/settings.md lists every key.
server:
  port: 8988
  address: 127.0.0.1
security:
  oauth2:
    authenticationType: SIMPLE
`;
