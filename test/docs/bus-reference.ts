import { resultOf } from "../../src/core/calls/reply.ts";
import type { EngineRefusal } from "../../src/core/engine/transport.ts";
import { AdminError } from "../../src/core/errors.ts";
import { isEngineRead } from "../../src/core/operations/engine-reads.ts";
import { type BusMethod, busMethods, busRecord, operations } from "../../src/core/operations/table.ts";
import { STANDARD_PROJECTION_KEYS } from "../../src/core/values/projection.ts";
import { MESSAGE_FAULT_CODES, REFUSAL_CODES, refusalOf } from "../../transports/json-rpc/contract.ts";
import { inputSchema } from "./bus-contract/json-schemas.ts";
import { table } from "./markdown-table.ts";

const REFUSALS: Readonly<Record<EngineRefusal, string>> = {
  rejected: "Rejected. The message is the reason and reaches the caller unchanged.",
  "not-found": "The named service, FIX gateway or FIX session does not exist.",
  "stop-came-first":
    "A stop of the same or an enclosing target arrived after this change and came first. Only for requests with `arrived`.",
  unsupported: "The engine has no such operation. Nothing was changed.",
  overloaded: "The engine has too much to do.",
  unavailable: "The engine cannot work now.",
  "not-understood":
    "`params`, `input` or `context` is not what the schemas say. The operation was not begun, and nothing was changed.",
  internal: "The engine failed; it is not known whether anything was changed. The message is for the gateway's log.",
};

const FAULTS: Readonly<Record<Exclude<keyof typeof MESSAGE_FAULT_CODES, "invalidParams">, string>> = {
  parseError: "The message is not JSON. Nothing was changed.",
  invalidRequest: "The message is not a JSON-RPC 2.0 request. Nothing was changed.",
};

/** Texts of the generated parts of `docs/engine/bus.md` by their names. */
function generatedParts(): ReadonlyMap<string, string> {
  return new Map([
    ["operations", `\n${operationTable()}\n`],
    ["errors", `\n${errorTable()}\n`],
    ["keys", STANDARD_PROJECTION_KEYS.join(", ")],
  ]);
}

/** The document with its generated parts as they have to be. Throws when the document has no place for one. */
export function withGeneratedParts(document: string): string {
  let updated = document;
  for (const [name, text] of generatedParts()) {
    const begin = `<!-- generated: ${name} -->`;
    const from = updated.indexOf(begin) + begin.length;
    const to = updated.indexOf("<!-- end -->", from);
    if (from < begin.length || to < 0) throw new Error(`docs/engine/bus.md has no place for "${name}"`);
    updated = updated.slice(0, from) + text + updated.slice(to);
  }
  return updated;
}

function operationTable(): string {
  const rows = busMethods.map((name) => {
    const { lane, permission, summary } = busRecord(operations, name);
    const optional = isEngineRead(name) ? " (optional, since 1.2)" : "";
    return [`\`${name}\``, lane, permission ?? "none", inputFields(name), `${summary}${optional}`];
  });
  return table(["Operation", "Lane", "Permission", "Input (`?` may be absent)", "What it does"], rows);
}

function inputFields(name: BusMethod): string {
  const { properties = {}, required = [] } = inputSchema(name, "draft-2020-12");
  const fields = Object.keys(properties).map((field) => (required.includes(field) ? field : `${field}?`));
  return fields.join(", ") || "none";
}

function errorTable(): string {
  const refusals = Object.entries(REFUSALS).map(([refusal, meaning]) =>
    errorRow(REFUSAL_CODES[refusal as EngineRefusal], meaning),
  );
  const faults = Object.entries(FAULTS).map(([fault, meaning]) =>
    errorRow(MESSAGE_FAULT_CODES[fault as keyof typeof FAULTS], meaning),
  );
  const header = ["Code", "Meaning", "HTTP status to the caller", "Outcome of a mutation on record"];
  return table(header, [...refusals, ...faults, ["any other", "As -32603.", ...consequences("internal")]]);
}

function errorRow(code: number, meaning: string): readonly string[] {
  return [String(code), meaning, ...consequences(refusalOf(code))];
}

/** What the gateway makes of a refusal, from the code that does it. */
function consequences(refusal: EngineRefusal): readonly string[] {
  try {
    resultOf("haltTrading", { ok: false, refusal, message: "" });
  } catch (error) {
    if (error instanceof AdminError) return [String(error.status), error.outcome];
    throw error;
  }
  throw new Error(`the refusal "${refusal}" was taken for a result`);
}
