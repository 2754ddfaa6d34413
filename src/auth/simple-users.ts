import type { Environment } from "../core/values/basics.ts";
import { readAccessRules } from "./access-rule-file.ts";
import { grantPermissions } from "./access-rules.ts";
import type { FileUser } from "./file-directory.ts";
import { accessFiles, readSecurityFile } from "./security-file.ts";
import { readUserFile } from "./user-file.ts";

type Source = readonly [file: string, text: string];

/** What access files say. */
export interface AccessFiles {
  /** By key of the name. */
  readonly users: ReadonlyMap<string, FileUser>;
  readonly warnings: readonly string[];
}

/**
 * Reads both access files once.
 *
 * @throws SecurityFileError when a file is missing or broken.
 */
export async function readAccessFiles(directory: string, environment: Environment): Promise<AccessFiles> {
  const [userFile, ruleFile] = accessFiles(directory);
  // One after the other, so that it is always the same file that is reported when both are missing.
  const userSource = await readSecurityFile(userFile);
  const ruleSource = await readSecurityFile(ruleFile);
  return readUsers([userFile, userSource], [ruleFile, ruleSource], environment);
}

function readUsers(userFile: Source, ruleFile: Source, environment: Environment): AccessFiles {
  const { principals, passwords, warnings } = readUserFile(...userFile, environment);
  const rules = readAccessRules(...ruleFile);
  const granted = grantPermissions(rules.rules, principals);
  const users = new Map<string, FileUser>();
  for (const [key, name] of principals.users) {
    const permissions = granted.permissions.get(key) ?? new Set();
    users.set(key, { name, permissions, password: passwords.get(key) ?? { kind: "locked" } });
  }
  return { users, warnings: [...warnings, ...rules.warnings, ...granted.warnings] };
}
