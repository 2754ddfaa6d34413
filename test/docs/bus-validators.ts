import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { type BusMethod, busMethods } from "../../src/core/operations/table.ts";
import { readJson } from "./bus-files.ts";

/** Reads a schema file as a third party would: the committed file, a validator that knows nothing of this project. */
export function committedValidator(name: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  ajv.addFormat("int64", { type: "number", validate: Number.isInteger });
  return ajv.compile(readJson(`docs/bus/schemas/${name}.json`) as object);
}

/** Validators of an operation's input and result. */
interface OperationValidators {
  readonly input: ValidateFunction;
  readonly result: ValidateFunction;
}

/** Validators of all operations. */
export function operationValidators(): ReadonlyMap<BusMethod, OperationValidators> {
  return new Map(
    busMethods.map((name) => [
      name,
      { input: committedValidator(`${name}.input`), result: committedValidator(`${name}.result`) },
    ]),
  );
}

/** What a validator finds wrong; empty for a valid value. */
export function faultsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
