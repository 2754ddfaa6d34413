import type { Environment } from "../core/values/basics.ts";
import { type FilePosition, positionsIn } from "./security-file-error.ts";

/** A `${NAME}` of a text, and where it stands. */
interface Placeholder {
  readonly name: string;
  readonly position: FilePosition;
}

export interface SubstitutedText {
  readonly text: string;
  /** Placeholders that were replaced. */
  readonly replaced: readonly Placeholder[];
  /** Names of placeholders that stayed, as their variables are unset or empty. */
  readonly unresolved: ReadonlySet<string>;
}

const PLACEHOLDER = /\$\{([^{}\s]+)\}/g;

/**
 * Replaces every `${NAME}` by the value of the environment variable; an unset or empty variable leaves the text as it is.
 * Values are not substituted again and not escaped: in an XML file they are read as XML.
 */
export function substituteEnvironment(source: string, environment: Environment): SubstitutedText {
  const positionAt = positionsIn(source);
  const replaced: Placeholder[] = [];
  const unresolved = new Set<string>();
  const text = source.replace(PLACEHOLDER, (literal: string, name: string, offset: number) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === "") {
      unresolved.add(name);
      return literal;
    }
    replaced.push({ name, position: positionAt(offset) });
    return value;
  });
  return { text, replaced, unresolved };
}

/** The first of the `unresolved` names whose placeholder is still in `text`. */
export function unresolvedIn(text: string, unresolved: ReadonlySet<string>): string | undefined {
  for (const [, name] of text.matchAll(PLACEHOLDER)) {
    if (name !== undefined && unresolved.has(name)) return name;
  }
  return undefined;
}
