import { type OperationName, operationRecord, operations } from "../../src/core/operations/table.ts";

/** An operation's call as HTTP carries it, its path below the base path. */
export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

/** Encodes a call by the operation table: fields go into path, query or body. */
export function encodeCall(name: OperationName, input: Readonly<Record<string, unknown>>): HttpCall {
  const operation = operationRecord(operations, name);
  const rest = { ...input };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    delete rest[field];
    return encodeURIComponent(String(input[field]));
  });
  if (operation.method === "POST") return { method: operation.method, path, body: JSON.stringify(rest) };
  const query = new URLSearchParams(
    Object.entries(rest).map(([field, value]): [string, string] => [field, String(value)]),
  ).toString();
  return { method: operation.method, path: query === "" ? path : `${path}?${query}`, body: undefined };
}
