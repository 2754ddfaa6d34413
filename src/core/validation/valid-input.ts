import type { Operation, Prepared } from "../operations/operation.ts";
import type { OperationName } from "../operations/table.ts";
import type { UnknownFields } from "./input-size.ts";
import { parseInput } from "./validation.ts";

/**
 * An input that has been checked and prepared for the engine. An edge may keep it and give it again for an equal
 * request: the same query need not be checked twice.
 */
export class ValidInput {
  readonly operation: OperationName;
  readonly prepared: Prepared<Readonly<Record<string, unknown>>>;

  constructor(operation: OperationName, prepared: Prepared<Readonly<Record<string, unknown>>>) {
    this.operation = operation;
    this.prepared = prepared;
  }
}

/** Checks raw input against an operation; throws `BAD_REQUEST` that names every bad field. */
export function prepareInput(
  name: OperationName,
  operation: Operation,
  raw: unknown,
  unknownFields: UnknownFields,
): ValidInput {
  const input = parseInput(operation, raw, unknownFields);
  return new ValidInput(name, operation.prepare?.(input) ?? { input });
}
