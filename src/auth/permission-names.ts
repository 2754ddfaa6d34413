import { distance } from "fastest-levenshtein";
import { PERMISSIONS, type Permission } from "../core/principal.ts";
import { asciiLowerCase } from "../core/values/basics.ts";

/** Name of any permission in a rule. */
export const ANY_PERMISSION = "*";

const BY_NAME: ReadonlyMap<string, Permission> = new Map(PERMISSIONS.map((name) => [asciiLowerCase(name), name]));

/** The permissions of this API that a name stands for: all, one, or none, as the file may serve other products too. */
export function permissionsNamed(name: string): readonly Permission[] {
  if (name === ANY_PERMISSION) return PERMISSIONS;
  const permission = BY_NAME.get(asciiLowerCase(name));
  return permission ? [permission] : [];
}

/**
 * The permission that an unknown name was probably intended to be: a few letters are others, or it is made of its words only. Undefined for
 * names that other products may have.
 */
export function permissionMeantBy(name: string): Permission | undefined {
  if (permissionsNamed(name).length > 0) return undefined;
  const [nearest] = PERMISSIONS.map((permission) => ({
    permission,
    letters: distance(lettersOf(name), lettersOf(permission)),
  })).toSorted((a, b) => a.letters - b.letters);
  if (nearest && nearest.letters <= lettersOf(nearest.permission).length / 5) return nearest.permission;
  return PERMISSIONS.find((permission) => isMadeOf(wordsOf(name), wordsOf(permission)));
}

/** `HALT_TRADING`, `FIX_SESSIONS`, `ADJUST_POSITION`; a single word, such as `TRADING`, may be anything. */
function isMadeOf(words: readonly string[], own: readonly string[]): boolean {
  return words.length > 1 && words.every((word) => own.some((other) => isForm(word, other)));
}

function isForm(word: string, other: string): boolean {
  const shorter = Math.min(word.length, other.length);
  return shorter >= 3 && word.slice(0, shorter) === other.slice(0, shorter);
}

function wordsOf(name: string): readonly string[] {
  return asciiLowerCase(name)
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== "");
}

function lettersOf(name: string): string {
  return wordsOf(name).join("");
}
