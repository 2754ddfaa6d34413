import type { FieldKind } from "../../client/output-kinds.ts";
import type { Lane } from "../../core/operations/operation.ts";
import type { Permission } from "../../core/principal.ts";

export interface InputField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required?: true;
  /** Default of the API; absent for none, an empty text and false. */
  readonly default?: string | boolean;
  readonly description?: string;
}

export interface OperationFacts {
  readonly summary: string;
  readonly lane: Lane;
  /** Absent for a read, which needs none. */
  readonly permission?: Permission;
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

/** The option for a field: `--cancel-orders` for `cancelOrders`. */
export function flagOf(field: string): string {
  return `--${field.replace(/PnL/g, "Pnl").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The name under which an option's value is found. */
export function optionKeyOf(field: string): string {
  return field.replace(/PnL/g, "Pnl");
}
