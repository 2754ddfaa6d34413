import { readAccessRules } from "./access-rule-file.ts";
import { grantPermissions } from "./access-rules.ts";
import type { Environment } from "./environment.ts";
import type { FileUser } from "./file-directory.ts";
import { readUserFile } from "./user-file.ts";

type Source = readonly [file: string, text: string];

/** What access files say. */
export interface AccessFiles {
  /** By key of the name. */
  readonly users: ReadonlyMap<string, FileUser>;
  readonly warnings: readonly string[];
}

/**
 * Reads the users of both access files with their permissions.
 *
 * @throws SecurityFileError when one of them is broken.
 */
export function readUsers(userFile: Source, ruleFile: Source, environment: Environment): AccessFiles {
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
