import { z } from "zod";
import type { Permission } from "./permission.ts";

/**
 * The lane of an operation (decisions, "asymmetric safety"): a `stop` has capacity of its own and nothing of ours stands
 * in its way, a `change` may be refused when it cannot be recorded, a `read` is shed first.
 */
export type Lane = "stop" | "change" | "read";

/** Resource group of an operation. */
export type Tag = "Trading" | "Risk" | "Positions" | "Services" | "FIX";

/** What the engine is sent for an input, where that differs from the input. */
export interface Prepared<I> {
  readonly input: I;
  /** Told to the caller (`X-Admin-Warning`) and recorded, when part of the request has no effect. */
  readonly warning?: string;
}

/** One operation of the API. The table of these records drives everything else. */
export interface Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST";
  /** Path below the base path; `{field}` takes a field of the input from the path. */
  readonly path: `/${string}`;
  /** Permission that is needed, or `null` when any authenticated user may call. */
  readonly permission: Permission | null;
  readonly lane: Lane;
  readonly tag: Tag;
  readonly summary: string;
  /** Where the fields travel that are not in the path. */
  readonly in: "query" | "body";
  /** All fields of the request as one flat object, with defaults. */
  readonly input: I;
  /** The answer; {@link empty} for a 200 without content. */
  readonly output: O;
  /** Input fields that name what a mutation acts on, for audit records. */
  readonly target: readonly (keyof z.output<I> & string)[];
  /** Takes out of a raw input what the specification says is ignored, before it is checked. */
  withoutIgnored?(raw: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Adapts a valid input before it goes to the engine. */
  prepare?(input: z.output<I>): Prepared<z.output<I>>;
}

/** Output of an operation that answers 200 without content. */
export const empty: z.ZodNull = z.null();

/** Checks and types one record of the operation table. */
export function operation<I extends z.ZodObject, O extends z.ZodType>(record: Operation<I, O>): Operation<I, O> {
  return record;
}
