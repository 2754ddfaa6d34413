import type { Operation, Prepared } from "../operations/operation.ts";
import type { CallName } from "../operations/table.ts";
import type { UnknownFields } from "./input-size.ts";
import { parseInput } from "./validation.ts";

/**
 * A validated input, prepared for the engine. An edge may cache it for equal requests, so that the same query is validated once.
 */
export class ValidInput {
  readonly operation: CallName;
  readonly prepared: Prepared<Readonly<Record<string, unknown>>>;

  constructor(operation: CallName, prepared: Prepared<Readonly<Record<string, unknown>>>) {
    this.operation = operation;
    this.prepared = prepared;
  }
}

/** Validates and prepares the input of an operation; throws `BAD_REQUEST` with the faulty fields. */
export function prepareInput(
  name: CallName,
  operation: Operation,
  raw: unknown,
  unknownFields: UnknownFields,
): ValidInput {
  const input = parseInput(operation, raw, unknownFields);
  return new ValidInput(name, operation.prepare?.(input) ?? { input });
}
