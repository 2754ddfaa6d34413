import { isObject } from "./values/basics.ts";

/** Limits of a number, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** What the value of an option or an argument has to be. */
export interface Needed {
  /** An example as a program writes it, or the values that fit. */
  readonly like: string;
  fits(value: unknown): boolean;
}

/** What the value of an option has to be that may be left out. */
export interface Optional {
  readonly optional: Needed;
}

/** Every option of `O`: the compiler asks for a new one, and for what its value has to be. */
export type OptionTable<O> = {
  readonly [Name in keyof O]-?: Record<never, never> extends Pick<O, Name> ? Optional : Needed;
};

export function ifGiven(needed: Needed): Optional {
  return { optional: needed };
}

export function textLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "string" };
}

/** A text that is not empty. */
export function nameLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "string" && value !== "" };
}

export function numberLike(like: string): Needed {
  return { like, fits: (value) => Number.isFinite(value) };
}

/** A whole number, limits included. */
export function integer({ min, max }: Bounds): Needed {
  const { fits } = numberFrom({ min, max });
  return { like: `a whole number from ${min} to ${max}`, fits: (value) => Number.isInteger(value) && fits(value) };
}

/** A duration in milliseconds, or what else need not be whole, limits included. */
export function numberFrom({ min, max }: Bounds): Needed {
  const fits = (value: unknown): boolean => typeof value === "number" && value >= min && value <= max;
  return { like: `a number from ${min} to ${max}`, fits };
}

export function functionLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "function" };
}

/** An array, a set, or any other iterable but a text. */
export function listLike(like: string): Needed {
  return { like, fits: (value) => typeof value === "object" && value !== null && Symbol.iterator in value };
}

/** An array of values of one kind. */
export function arrayOf({ fits }: Needed, like: string): Needed {
  return { like, fits: (value) => Array.isArray(value) && value.every(fits) };
}

/** A list of what restricts, or is restricted: an empty one would restrict nobody, without a word. Not what can be read only once. */
export function restrictionLike(like: string): Needed {
  const sizeOf = (value: unknown): number =>
    Array.isArray(value) ? value.length : value instanceof Set ? value.size : 0;
  return { like: `${like} (an empty list restricts nobody)`, fits: (value) => sizeOf(value) > 0 };
}

/** One of the names of a table. */
export function oneOf(names: object): Needed {
  const like = Object.keys(names)
    .map((name) => JSON.stringify(name))
    .join(" or ");
  return { like, fits: (value) => typeof value === "string" && Object.hasOwn(names, value) };
}

/** An object with this member. */
export function objectWith(member: string, like: string): Needed {
  return { like, fits: (value) => memberOf(value, member) !== undefined };
}

/** An object with these methods. */
export function methodsOf(names: readonly string[], like: string): Needed {
  return { like, fits: (value) => names.every((name) => typeof memberOf(value, name) === "function") };
}

/** An object with these fields, each with its kind of value, and no others. */
export function fieldsOf<O extends object>(table: OptionTable<O>): Needed {
  const entries = Object.entries<Needed | Optional>(table);
  const fields = entries.map(([name, entry]) => `${name}: ${neededOf(entry).like}`);
  return {
    like: `{ ${fields.join(", ")} }`,
    fits: (value) =>
      isObject(value) &&
      Object.keys(value).every((name) => Object.hasOwn(table, name)) &&
      entries.every(([name, entry]) => fitsEntry(value[name], entry)),
  };
}

function neededOf(entry: Needed | Optional): Needed {
  return "optional" in entry ? entry.optional : entry;
}

function fitsEntry(value: unknown, entry: Needed | Optional): boolean {
  return (value === undefined && "optional" in entry) || neededOf(entry).fits(value);
}

function memberOf(value: unknown, member: string): unknown {
  return value === undefined || value === null ? undefined : Reflect.get(Object(value), member);
}

export const ADMIN_API = objectWith("invoke", "new AdminApi({ transport, audit })");
export const FLAG: Needed = { like: "true or false", fits: (value) => typeof value === "boolean" };
export const OBJECT: Needed = { like: "an object", fits: isObject };
export const ANYTHING: Needed = { like: "anything", fits: () => true };
export const CLOCK = methodsOf(["now", "schedule"], "new ManualClock() or { now, schedule }");
export const LOGGER = methodsOf(["info", "warn", "error"], "console or { info, warn, error }");
export const GATE = methodsOf(["schedule", "reenter"], "api.gate or new Gate()");

/** What a timer of Node.js can count; it would take a longer time for 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const MAX = Number.MAX_SAFE_INTEGER;

/** Milliseconds, of a time that may be none. */
export const MS = numberFrom({ min: 0, max: MAX_TIMER_MS });
/** Milliseconds, of a time that cannot be none. */
export const SOME_MS = numberFrom({ min: 1, max: MAX_TIMER_MS });
export const COUNT = integer({ min: 1, max: MAX });
/** A number of places besides others, which may be none. */
export const RESERVE = integer({ min: 0, max: MAX });
export const PEM: Needed = {
  like: "PEM as a text or bytes",
  fits: (value) => typeof value === "string" || value instanceof Uint8Array,
};

/** Throws `TypeError` for an argument that a public function cannot use, where a compiler has not said so. */
export function requireArgument(owner: string, name: string, value: unknown, needed: Needed): void {
  if (!needed.fits(value)) throw new TypeError(`${owner} needs ${missing(name, needed)}`);
}

/**
 * Makes the check of the options of `owner`, a public class or function. It returns them, or throws `TypeError` that says what is missing,
 * that there is no such option, or that a value is of no use: a misspelt one would be ignored, and with it a policy or a limit, and with a
 * limit of `NaN` every halt would be refused (decision D-PKG 17).
 */
export function optionsOf<O extends object>(owner: string, table: OptionTable<O>): (options: O) => O {
  const entries = Object.entries<Needed | Optional>(table);
  return (options) => {
    const given: Readonly<Record<string, unknown>> = isObject(options) ? options : {};
    const unfit = entries.filter(([name, entry]) => !fitsEntry(given[name], entry));
    const needed = unfit.flatMap(([name, entry]) => ("optional" in entry ? [] : [missing(name, entry)]));
    const unknown = Object.keys(given).filter((name) => given[name] !== undefined && !Object.hasOwn(table, name));
    if (needed.length > 0) throw new TypeError(`${owner} needs ${needed.join(", and ")}${besides(unknown)}`);
    if (unknown.length > 0)
      throw new TypeError(`${owner} has no option ${quoted(unknown)}; it has ${quoted(Object.keys(table))}`);
    const [wrong] = unfit;
    if (wrong) throw new TypeError(`${owner} cannot use this \`${wrong[0]}\`; it takes ${neededOf(wrong[1]).like}`);
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
