import { forEachInTurns, LoopTurns } from "../core/load/turns.ts";
import type { Environment } from "../core/values/basics.ts";
import { NOT_UNDERSTOOD, readAccessRules } from "./access-rule-file.ts";
import { grantPermissions, remarkOnFault } from "./access-rules.ts";
import type { FileUser } from "./file-directory.ts";
import { nameKey } from "./names.ts";
import { accessFiles, readSecurityFile } from "./security-file.ts";
import { SecurityFileError } from "./security-file-error.ts";
import { readUserFile } from "./user-file.ts";

export interface AccessFiles {
  /** By key of the name. */
  readonly users: ReadonlyMap<string, FileUser>;
  /** Keys of all users and groups. */
  readonly names: ReadonlySet<string>;
  readonly warnings: readonly string[];
  /** Entries that do not count, as their names are equal. */
  readonly errors: readonly string[];
}

/**
 * Reads both access files once. `known` are keys of users and groups that there were before: a deny may still name those who are gone, as a
 * user who is removed must lose access whatever the rules say.
 *
 * @throws SecurityFileError when a file is missing or broken, or a deny names nobody (decision D-UAC 14).
 */
export async function readAccessFiles(
  directory: string,
  environment: Environment,
  known: ReadonlySet<string> = new Set(),
): Promise<AccessFiles> {
  const [userFile, ruleFile] = accessFiles(directory);
  // One after the other, so that it is always the same file that is reported when both are missing.
  const userSource = await readSecurityFile(userFile);
  const ruleSource = await readSecurityFile(ruleFile);
  const turns = new LoopTurns();
  const { principals, passwords, warnings, errors } = await readUserFile(userFile, userSource, environment, turns);
  const rules = await readAccessRules(ruleFile, ruleSource, turns);
  const granted = await grantPermissions(rules.rules, principals, turns);
  const names = new Set([...principals.users.keys(), ...principals.groups.keys(), ...principals.ambiguous.keys()]);
  const isGone = (name: string): boolean => known.has(nameKey(name)) && !names.has(nameKey(name));
  const fault = granted.faults.find(({ name }) => !isGone(name));
  if (fault)
    throw new SecurityFileError(ruleFile, fault.rule.position, `deny rule: ${fault.reason}; ${NOT_UNDERSTOOD}`);
  const users = new Map<string, FileUser>();
  await forEachInTurns(turns, principals.users, ([key, name]) => {
    const permissions = granted.permissions.get(key) ?? new Set();
    users.set(key, { name, permissions, password: passwords.get(key) ?? { kind: "locked" } });
  });
  const remarks = granted.faults.map(remarkOnFault);
  return { users, names, warnings: [...warnings, ...rules.warnings, ...granted.warnings, ...remarks], errors };
}
