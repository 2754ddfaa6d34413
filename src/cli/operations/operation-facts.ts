import type { FieldKind } from "../../client/output-kinds.ts";
import type { Lane } from "../../core/operations/operation.ts";

/** A field of an operation's input. */
export interface InputField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required?: true;
  /** What the API takes where it is left out; absent for nothing, an empty text or false. */
  readonly default?: string | boolean;
  readonly description?: string;
}

/** What the command line knows of an operation. */
export interface OperationFacts {
  readonly summary: string;
  readonly lane: Lane;
  /** Fields that name what it acts on. */
  readonly target: readonly string[];
  readonly input: readonly InputField[];
}

export function takesReason({ input }: OperationFacts): boolean {
  return input.some(({ name }) => name === "reason");
}

/** Words that are typed for a field, where its own name is not what people say. */
const WORDS: Readonly<Record<string, string>> = { projectionPath: "path", name: "service" };

export function argumentNameOf(field: string): string {
  return WORDS[field] ?? field;
}

/** The name under which an option's value is found. */
export function optionKeyOf(field: string): string {
  return field.replace(/PnL/g, "Pnl");
}
