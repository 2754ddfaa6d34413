import { AdminError } from "../core/errors.ts";
import { faultMessage } from "../core/validation/faults.ts";
import type { UnknownFields } from "../core/validation/input-size.ts";
import { decodeEscapes } from "./routes.ts";

/**
 * Decodes a query string into the fields that an operation takes from it. Throws `BAD_REQUEST` that names every
 * unknown and repeated parameter (decision D-HTTP 6); with `ignore`, unknown ones are left out and the first value counts.
 */
export function decodeQuery(
  query: string,
  fields: ReadonlySet<string>,
  unknownFields: UnknownFields,
): Record<string, string> {
  const input: Record<string, string> = {};
  const faults: string[] = [];
  for (const [name, value] of parameters(query)) {
    if (!fields.has(name)) faults.push(`${name}: unknown field`);
    else if (name in input) faults.push(`${name}: given more than once`);
    else input[name] = value;
  }
  if (faults.length > 0 && unknownFields === "reject")
    throw new AdminError("BAD_REQUEST", faultMessage([...new Set(faults)]));
  return input;
}

function* parameters(query: string): Generator<[name: string, value: string]> {
  if (query === "") return;
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = equals < 0 ? "" : pair.slice(equals + 1);
    yield [decodeParameter(name), decodeParameter(value)];
  }
}

function decodeParameter(text: string): string {
  return decodeEscapes(text.replaceAll("+", " "), "query");
}
