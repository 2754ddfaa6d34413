import { z } from "zod";
import { type BusMethod, buildOperations, busMethods, busRecord } from "../../../src/core/operations/table.ts";
import { projectionKeys } from "../../../src/core/values/projection.ts";
import { CONTRACT_VERSION } from "../../../transports/json-rpc/contract.ts";
import { MESSAGES } from "./messages.ts";

/** A JSON Schema document, or part of one. */
export interface SchemaDocument extends z.core.JSONSchema.BaseSchema {
  /** Shared parts by id, where draft 7 has them; those of the current dialect are in `$defs`. */
  readonly definitions?: Readonly<Record<string, z.core.JSONSchema.BaseSchema>>;
}

/** Dialect of a generated schema: files have the current one, OpenRPC 1.x takes draft 7. */
export type Dialect = "draft-2020-12" | "draft-7";

/** The first line of a file says which dialect it is in. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** A gateway can be set to take risk updates of any length, so the contract has no limit for them. */
const operations = buildOperations(projectionKeys(), Number.POSITIVE_INFINITY);

/** The table of an installation that has a projection key of its own. */
const widerOperations = buildOperations(projectionKeys(["InstallationKey"]), Number.POSITIVE_INFINITY);

/** What an engine is sent as the operation's `input`. The gateway has filled defaults in: such fields are required. */
export function inputSchema(name: BusMethod, dialect: Dialect): SchemaDocument {
  const schema = generate(busRecord(operations, name).input, "output", dialect);
  return isOpen(name) ? { ...schema, additionalProperties: { type: "string" } } : schema;
}

/** Whether the input has further members where an installation has projection keys of its own. */
function isOpen(name: BusMethod): boolean {
  const [usual, wider] = [operations, widerOperations].map((table) => busRecord(table, name).input.shape);
  return Object.keys(wider ?? {}).length > Object.keys(usual ?? {}).length;
}

/** What an engine may send as the operation's `result`. Members that the contract does not know are ignored. */
export function resultSchema(name: BusMethod, dialect: Dialect): SchemaDocument {
  return generate(busRecord(operations, name).output, "input", dialect);
}

/** The published schema files by name: input and result of each method, and every kind of message. */
export function schemaFiles(): ReadonlyMap<string, SchemaDocument> {
  const files = new Map<string, SchemaDocument>();
  const add = (name: string, description: string, schema: SchemaDocument): void => {
    files.set(`${name}.json`, { $schema: DIALECT, $id: schemaId(name), title: name, description, ...schema });
  };
  for (const name of busMethods) {
    const { summary, engineNotes } = busRecord(operations, name);
    const about = [summary, engineNotes].filter(Boolean).join(". ");
    add(`${name}.input`, about, inputSchema(name, "draft-2020-12"));
    add(`${name}.result`, about, resultSchema(name, "draft-2020-12"));
  }
  for (const [name, { schema, summary }] of Object.entries(MESSAGES)) {
    add(name, summary, messageSchema(schema, "draft-2020-12"));
  }
  return files;
}

/** Schema of a whole message, or of a part of one. */
export function messageSchema(schema: z.ZodType, dialect: Dialect): SchemaDocument {
  return generate(schema, "input", dialect);
}

/** A name and not an address: nothing has to be fetched. */
function schemaId(name: string): string {
  return `urn:trading-admin:${CONTRACT_VERSION}:${name}`;
}

function generate(schema: z.ZodType, io: "input" | "output", target: Dialect): SchemaDocument {
  const { "~standard": _, ...generated } = z.toJSONSchema(schema, { io, target });
  return generated as SchemaDocument;
}
