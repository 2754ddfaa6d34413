import { isObject } from "./values/basics.ts";

/** What a public class or function cannot do without. */
export interface Needed {
  /** An example, as a program writes it. */
  readonly like: string;
  fits(value: unknown): boolean;
}

/** Every option of `O`: the compiler asks for a new one, and for an example of one that has to be given. */
export type OptionTable<O> = {
  readonly [Name in keyof O]-?: Record<never, never> extends Pick<O, Name> ? "optional" : Needed;
};

export function textLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "string" };
}

export function numberLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "number" };
}

export function functionLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "function" };
}

/** An array, a set, or any other iterable but a text. */
export function listLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "object" && value !== null && Symbol.iterator in value };
}

/** One of the names of a table. */
export function oneOf(names: object): Needed {
  const like = Object.keys(names)
    .map((name) => JSON.stringify(name))
    .join(" or ");
  return { like, fits: (value) => typeof value === "string" && Object.hasOwn(names, value) };
}

/** An object with this method or member. */
export function objectWith(member: string, like: string): Needed {
  return { like, fits: (value) => memberOf(value, member) !== undefined };
}

function memberOf(value: unknown, member: string): unknown {
  return value === undefined || value === null ? undefined : Reflect.get(Object(value), member);
}

export const ADMIN_API = objectWith("invoke", "new AdminApi({ transport, audit })");

/** Throws `TypeError` for an argument that a public function cannot use, where a compiler has not said so. */
export function requireArgument(owner: string, name: string, value: unknown, needed: Needed): void {
  if (!needed.fits(value)) throw new TypeError(`${owner} needs ${missing(name, needed)}`);
}

/**
 * Makes the check of the options of `owner`, a public class or function. It returns them, or throws `TypeError` that says what is missing, or
 * that there is no such option: a misspelt one would be ignored, and with it a policy or a limit (decision D-PKG 17).
 */
export function optionsOf<O extends object>(owner: string, table: OptionTable<O>): (options: O) => O {
  const entries = Object.entries<Needed | "optional">(table);
  return (options) => {
    const given: Readonly<Record<string, unknown>> = isObject(options) ? options : {};
    const needed = entries.flatMap(([name, entry]) =>
      entry === "optional" || entry.fits(given[name]) ? [] : [missing(name, entry)],
    );
    const unknown = Object.keys(given).filter((name) => given[name] !== undefined && !Object.hasOwn(table, name));
    if (needed.length > 0) throw new TypeError(`${owner} needs ${needed.join(", and ")}${besides(unknown)}`);
    if (unknown.length > 0)
      throw new TypeError(`${owner} has no option ${quoted(unknown)}; it has ${quoted(Object.keys(table))}`);
    if (options !== given) throw new TypeError(`${owner} takes an object with ${quoted(Object.keys(table))}`);
    return options;
  };
}

function missing(name: string, { like }: Needed): string {
  return `\`${name}\`, such as ${like}`;
}

function besides(unknown: readonly string[]): string {
  return unknown.length === 0 ? "" : `; it has no option ${quoted(unknown)}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
