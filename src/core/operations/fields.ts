import { z } from "zod";
import { grouped, once } from "../values/basics.ts";
import {
  type ProjectionKeys,
  ProjectionSyntaxError,
  parseProjection,
  parseProjectionPath,
} from "../values/projection.ts";

/** Fields and sentences that several resources share. */

/** Output of an operation whose response is a 200 without content. */
export const empty: () => z.ZodNull = once(() => z.null());

/** Meaning of an empty response for a caller. */
export const ACCEPTED = "An empty 200 means that the engine accepted the command.";

/** Meaning of an empty reply on the bus. */
export const ACCEPTED_BY_ENGINE = "The reply means that the command was accepted; it may be applied a little later.";

const TEXT = "must be a string";

/** Longest free text of a request, in characters (decision D-LOAD 3). */
const MAX_TEXT = 1_024;

/** Fault of a longer text. */
export const TOO_LONG = `must be at most ${grouped(MAX_TEXT)} characters long`;

/** Most entries of an object with free names, such as the limits of a risk command. */
const MAX_ENTRIES = 64;

export const text: () => z.ZodString = once(() =>
  z
    .string({ error: TEXT })
    // Nothing else is reported about a text that is too long: it may be a megabyte.
    .refine(isShort, { error: TOO_LONG, abort: true })
    .meta({ maxLength: MAX_TEXT }),
);

/** JSON Schema counts characters as this does, and not UTF-16 code units. */
function isShort(value: string): boolean {
  return value.length <= MAX_TEXT || (value.length <= 2 * MAX_TEXT && [...value].length <= MAX_TEXT);
}

// How many elements there may be is checked by `parseInput`, before zod looks at each of them.

/** A list; without limit if `maxItems` is infinite. */
export function list<E extends z.ZodType>(element: E, maxItems: number, error: string): z.ZodArray<E> {
  const schema = z.array(element, { error });
  return Number.isFinite(maxItems) ? schema.meta({ maxItems }) : schema;
}

/** An object with free names. */
export function entries<V extends z.ZodType>(value: V, error: string): z.ZodRecord<z.ZodString, V> {
  return z.record(text(), value, { error }).meta({ maxProperties: MAX_ENTRIES });
}

function syntaxChecked(check: (value: string) => unknown): z.ZodString {
  return text().check((context) => {
    try {
      check(context.value);
    } catch (error) {
      if (!(error instanceof ProjectionSyntaxError)) throw error;
      context.issues.push({ code: "custom", message: error.message, input: context.value });
    }
  });
}

/** A projection path over the given keys; empty is the root. `examples` are what the operation takes in the demo installation. */
export function projectionPathField(keys: ProjectionKeys, ...examples: readonly [string, ...string[]]): z.ZodString {
  return syntaxChecked((value) => parseProjectionPath(value, keys)).meta({
    description: `Projection path: \`Key[value]\` segments joined by \`/\`. Empty means system-wide. Keys: ${[...keys].join(", ")}.`,
    pattern: projectionPathPattern(keys),
    examples: [...examples],
  });
}

/** A projection over the given keys; empty is the root. `examples` are what the operation takes in the demo installation. */
export function projectionField(keys: ProjectionKeys, ...examples: readonly [string, ...string[]]): z.ZodString {
  return syntaxChecked((value) => parseProjection(value, keys)).meta({
    description: `Projection: projection keys joined by \`/\`. Empty means the root level. Keys: ${[...keys].join(", ")}.`,
    pattern: projectionPattern(keys),
    examples: [...examples],
  });
}

/** Reason that is recorded in the audit log. */
export function reasonField(fallback: string): z.ZodDefault<z.ZodString> {
  return text().default(fallback).meta({ description: "Reason, recorded in the audit log." });
}

/** A value of a path, to its closing bracket: not empty, and a `]` in it is not followed by `/`. */
const VALUE = "\\[(([^\\]]|\\]+[^\\]/])+\\]*|\\]+)\\]";

/**
 * Regular expression for projections, for readers of schemas: without what RE2 (Go) and Rust do not know, such as a look ahead. It
 * cannot say that no key comes twice.
 */
export function projectionPattern(keys: ProjectionKeys): string {
  return pathOf(oneOf(keys));
}

/** Regular expression for projection paths, as that for projections. */
export function projectionPathPattern(keys: ProjectionKeys): string {
  return pathOf(`${oneOf(keys)}${VALUE}`);
}

function oneOf(keys: ProjectionKeys): string {
  return `(${[...keys].map((key) => key.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})`;
}

function pathOf(step: string): string {
  return `^(${step}(/${step})*)?$`;
}
