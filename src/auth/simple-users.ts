import { forEachInSteps, inTurns, type Steps } from "../core/load/steps.ts";
import type { Environment } from "../core/values/basics.ts";
import { NOT_UNDERSTOOD, readAccessRulesInSteps } from "./access-rule-file.ts";
import { grantPermissionsInSteps, remarkOnFault } from "./access-rules.ts";
import type { FileUser } from "./file-directory.ts";
import { nameKey } from "./names.ts";
import { accessFiles, readSecurityFile } from "./security-file.ts";
import { SecurityFileError } from "./security-file-error.ts";
import { readUserFileInSteps } from "./user-file.ts";

/** Users that are put together in one step. */
const USERS = 500;

type Source = readonly [file: string, text: string];

/** What access files say. */
export interface AccessFiles {
  /** By key of the name. */
  readonly users: ReadonlyMap<string, FileUser>;
  /** Keys of all users and groups. */
  readonly names: ReadonlySet<string>;
  readonly warnings: readonly string[];
  /** What does not count at all, as names are equal. */
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
  return inTurns(readUsers([userFile, userSource], [ruleFile, ruleSource], environment, known));
}

function* readUsers(
  userFile: Source,
  ruleFile: Source,
  environment: Environment,
  known: ReadonlySet<string>,
): Steps<AccessFiles> {
  const { principals, passwords, warnings, errors } = yield* readUserFileInSteps(...userFile, environment);
  const rules = yield* readAccessRulesInSteps(...ruleFile);
  const granted = yield* grantPermissionsInSteps(rules.rules, principals);
  const names = new Set([...principals.users.keys(), ...principals.groups.keys(), ...principals.ambiguous.keys()]);
  const isGone = (name: string): boolean => known.has(nameKey(name)) && !names.has(nameKey(name));
  const fault = granted.faults.find(({ name }) => !isGone(name));
  if (fault)
    throw new SecurityFileError(ruleFile[0], fault.rule.position, `deny rule: ${fault.reason}; ${NOT_UNDERSTOOD}`);
  const users = new Map<string, FileUser>();
  yield* forEachInSteps([...principals.users], USERS, ([key, name]) => {
    const permissions = granted.permissions.get(key) ?? new Set();
    users.set(key, { name, permissions, password: passwords.get(key) ?? { kind: "locked" } });
  });
  return {
    users,
    names,
    warnings: [...warnings, ...rules.warnings, ...granted.warnings, ...granted.faults.map(remarkOnFault)],
    errors,
  };
}
