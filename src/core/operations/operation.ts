import type { z } from "zod";
import type { Permission } from "../principal.ts";
import { type Fields, once } from "../values/basics.ts";

/**
 * The lane of an operation: a `stop` has its own capacity, and nothing in this package
 * blocks it, a `change` may be refused when it cannot be recorded, a `read` is shed first.
 */
export type Lane = "stop" | "change" | "read";

/** Effect of a mutation on the limits on trading: it stops or restricts something, it restarts or allows something, or neither. */
export type Direction = "tightens" | "loosens" | "neutral";

/** Resource group of an operation. */
export type Tag = "Trading" | "Risk" | "Positions" | "Services" | "FIX" | "Engine" | "Access";

/** The input for the engine, where it differs from that of the caller. */
export interface Prepared<I> {
  /** All fields of the operation. */
  readonly input: I;
  /** Sent to the caller (`X-Admin-Warning`) and recorded if part of the request has no effect. */
  readonly warning?: string;
}

/** An exchange with the demo installation: a valid input and a matching output. */
export interface OperationExample<I extends z.ZodType, O extends z.ZodType> {
  /** What the example shows. */
  readonly summary: string;
  /** A valid input, fields with defaults left out. */
  readonly input: z.input<I>;
  /** What the operation returns to it. */
  readonly output: z.output<O>;
}

/** Expected value of a field of a read's output that confirms a command; `changed` compares it with what was read before. */
export type FieldCondition =
  | { readonly field: string; readonly is: string | number | boolean }
  | { readonly field: string; readonly isNot: string | number | boolean }
  | { readonly field: string; readonly changed: true };

/** How a read confirms a command (specification, "States and transitions"). Data, so that a client needs no code for it. */
export interface Confirmation {
  /** Name of the read; its input is the command's {@link Operation.target}. */
  readonly read: string;
  /** Description of the confirmed state; `{field}` is a placeholder for a field of the target. */
  readonly state: string;
  /** The command is confirmed when one of these holds. */
  readonly shown: readonly [FieldCondition, ...FieldCondition[]];
  /** Fields of the command's input that the state shows again: where one was given, another value is the work of somebody else. */
  readonly repeats?: readonly string[];
  /** Field of the input that requests the cancellation of working orders. A cancel is a request: only open sizes show the result. */
  readonly cancels?: string;
}

/** Whether a state is what a command brings about; `before` is the state as it was read before the command. */
export function isShown(shown: readonly FieldCondition[], now: Fields, before?: Fields): boolean {
  return shown.some((condition) => holds(condition, now, before));
}

function holds(condition: FieldCondition, now: Fields, before: Fields | undefined): boolean {
  const value = now[condition.field];
  if ("is" in condition) return value === condition.is;
  // A value that the engine does not show proves nothing.
  if (!isKnown(value)) return false;
  if ("isNot" in condition) return value !== condition.isNot;
  const previous = before?.[condition.field];
  return isKnown(previous) && value !== previous;
}

function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** Derives the direction of a change that depends on the current state, and what it replaces, from one read. */
export interface StateBefore<I = Readonly<Record<string, unknown>>> {
  /** Name of the read. */
  readonly operation: string;
  /** Input of the read. */
  input(change: I): Readonly<Record<string, unknown>>;
  /** Derives the direction. */
  direction(change: I, before: unknown): Direction;
  /** Extracts the rows that the change names, for audit records. */
  rows(change: I, before: unknown): readonly unknown[];
}

/** Fields of an output by the fields of the input whose value they repeat. */
export type Names<I = Fields> = { readonly [field in keyof I & string]?: string };

/** A bound on the entries that all elements of an input's list have together in one of their fields. */
export interface MaxEntries {
  /** Name of the list. */
  readonly list: string;
  /** Name of the field in its elements, an object with free names. */
  readonly field: string;
  /** Entries that all elements together may have in that field. */
  readonly most: number;
}

/** One operation of the API. The table of these records drives everything else. */
export interface Operation<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodType = z.ZodType,
  L extends Lane = Lane,
> {
  /** HTTP method; a GET takes its fields from path and query, a POST from path and JSON body. */
  readonly method: "GET" | "POST";
  /** Path below the base path; `{field}` takes a field of the input from the path. */
  readonly path: `/${string}`;
  /** Permission that is needed, or `null` when any authenticated user may call. */
  readonly permission: Permission | null;
  /** `stop` and `change` are commands, `read` is not. */
  readonly lane: L;
  /** Group in the OpenAPI document. */
  readonly tag: Tag;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Additional notes for callers, in Markdown, for the OpenAPI document. */
  readonly description: string;
  /** Additional notes for engines that no schema can express, for the bus contract. */
  readonly engineNotes?: string;
  /** Whether the API answers it without the engine. */
  readonly answeredHere?: true;
  /** All fields of the request as one flat object, with defaults. */
  readonly input: I;
  /** The output; null for a 200 without content. */
  readonly output: O;
  /** Input fields that name what a mutation acts on, for audit records. */
  readonly target: readonly (keyof z.output<I> & string)[];
  /** Fields of the output, or of each row of a list, that name what it is about: by the field of the input that asked for it. */
  readonly names?: Names<z.output<I>>;
  /**
   * The direction of a change, or what finds it out from a valid input, as far as that shows it; undefined where it does not. A
   * stop always tightens.
   */
  readonly direction?: Direction | ((input: z.output<I>) => Direction | undefined);
  /** Returns the direction of a change where its input does not show it; read only for a policy, since it costs a call. */
  readonly before?: StateBefore<z.output<I>>;
  /** Name of the GET read of the state that a change may be conditional on, by its entity tag (`If-Match`); its input is the target. */
  readonly ifMatch?: string;
  /** Bounds the work that a valid input makes, beyond what its schema says of each element. */
  readonly maxEntries?: MaxEntries;
  /** Removes the parts of a raw input that the specification ignores, before validation. */
  withoutIgnored?(raw: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Warning for requests that partly have no effect; {@link prepare} detects them. */
  readonly warning?: string;
  /** How a read shows the effect of the operation, where the reply alone does not. */
  readonly confirmedBy?: Confirmation;
  /** The engine may have nothing to return: 404. */
  readonly isOptional?: true;
  /** Name of the stop that a change takes back: what it stopped stays so until then. Both have one target. */
  readonly undoes?: string;
  /** The first one is what the interactive page fills in, so it stops no more than a node. */
  readonly examples: readonly [OperationExample<I, O>, ...OperationExample<I, O>[]];
  /** Adapts a valid input before it goes to the engine. */
  prepare?(input: z.output<I>): Prepared<z.output<I>>;
  /** Extracts the changes of a mutation from its output, for audit records. */
  after?(input: z.output<I>, output: z.output<O>): readonly unknown[];
}

/** Direction of a mutation; without an input only if it holds for every input. */
export function directionOf(operation: Operation, input: Record<string, unknown> | undefined): Direction | undefined {
  if (operation.lane === "stop") return "tightens";
  if (typeof operation.direction !== "function") return operation.direction;
  return input && operation.direction(input);
}

/** Whether a client may repeat a request on its own: a read, but never a mutation. */
export type RetryClass = "safe" | "never";

export function retryClass({ lane }: Pick<Operation, "lane">): RetryClass {
  return lane === "read" ? "safe" : "never";
}

/** A record with lazy schemas: most programs use few of them at first. */
type Written<I extends z.ZodObject, O extends z.ZodType, L extends Lane> = Omit<
  Operation<I, O, L>,
  "input" | "output"
> & {
  input(): I;
  output(): O;
};

/** Common fields of all GET reads. */
export const READ = { method: "GET", permission: null, lane: "read" } as const;

/** Checks and types one record of the operation table. */
export function operation<I extends z.ZodObject, O extends z.ZodType, L extends Lane>(
  record: Written<I, O, L>,
): Operation<I, O, L> {
  const input = once(record.input);
  const output = once(record.output);
  return {
    ...record,
    get input() {
      return input();
    },
    get output() {
      return output();
    },
  };
}
