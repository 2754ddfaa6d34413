import { isEngineRead } from "../../../src/core/operations/engine-reads.ts";
import { type Operation, retryClass } from "../../../src/core/operations/operation.ts";
import { type BusMethod, busMethods, busRecord, operations } from "../../../src/core/operations/table.ts";
import { CONTRACT_VERSION, ENGINE_STATUS, REFUSAL_CODES } from "../../../transports/json-rpc/contract.ts";
import { inputSchema, messageSchema, resultSchema, type SchemaDocument } from "./json-schemas.ts";
import { MESSAGES } from "./messages.ts";

/** A request with its reply, to be shown in the document. */
export interface ExchangeExample {
  readonly method: BusMethod;
  readonly params: { readonly input: unknown; readonly context: unknown };
  readonly result: unknown;
}

/** Version of the OpenRPC specification that the document follows; its schemas are JSON Schema draft 7. */
const OPEN_RPC = "1.3.2";

const ERRORS = {
  rejected: "Rejected: nothing was changed; the message is the reason",
  "not-found": "Not found: the named service, FIX gateway or FIX session does not exist",
  "stop-came-first": "Stop came first: nothing was changed",
  unsupported: "Method not found: nothing was changed",
  overloaded: "Overloaded: nothing was changed",
  unavailable: "Unavailable: nothing was changed",
  internal: "Internal error: it is not known whether anything was changed",
  "not-understood": "Invalid params: nothing was changed",
} as const;

type ErrorName = keyof typeof ERRORS;

const ANY_OPERATION: readonly ErrorName[] = [
  "rejected",
  "unsupported",
  "overloaded",
  "unavailable",
  "internal",
  "not-understood",
];

/** The bus contract as an OpenRPC 1.x document, made from the operation table (docs/engine/bus.md). */
export function openRpcDocument(examples: readonly ExchangeExample[]): unknown {
  const schemas = new SharedSchemas();
  const context = schemas.take(messageSchema(MESSAGES.context.schema, "draft-7"));
  const methods = busMethods.map((name) => ({
    ...methodObject(name, busRecord(operations, name), schemas, context),
    examples: examples.filter(({ method }) => method === name).map(examplePairing),
  }));
  return {
    openrpc: OPEN_RPC,
    info: {
      title: "Trading engine administration: bus contract",
      description:
        "What a gateway asks of a trading engine, over WebSocket or NATS. docs/engine/bus.md holds the rules.",
      version: CONTRACT_VERSION,
    },
    methods,
    components: { schemas: schemas.all(), errors: errorComponents() },
    "x-notifications": [notification(schemas)],
  };
}

function methodObject(name: BusMethod, record: Operation, schemas: SharedSchemas, context: SchemaDocument): object {
  const { engineNotes: description } = record;
  return {
    name,
    summary: record.summary,
    ...(description !== undefined && { description }),
    tags: [{ name: record.tag }],
    paramStructure: "by-name",
    params: [
      { name: "input", required: true, schema: schemas.take(inputSchema(name, "draft-7")) },
      { name: "context", required: true, schema: context },
    ],
    result: { name: "result", schema: schemas.take(resultSchema(name, "draft-7")) },
    errors: errorsOf(record).map((error) => ({ $ref: `#/components/errors/${error}` })),
    "x-lane": record.lane,
    "x-permission": record.permission,
    "x-retry": retryClass(record),
    ...(isEngineRead(name) && { "x-optional": true }),
  };
}

/** Only an operation that names a resource in its path can miss one, and only a change can come after a stop. */
function errorsOf({ path, lane }: Operation): readonly ErrorName[] {
  const namesResource: readonly ErrorName[] = path.includes("{") ? ["not-found"] : [];
  return [...ANY_OPERATION, ...namesResource, ...(lane === "change" ? (["stop-came-first"] as const) : [])];
}

function errorComponents(): Readonly<Record<string, { code: number; message: string }>> {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([name, message]) => [name, { code: REFUSAL_CODES[name as ErrorName], message }]),
  );
}

/** OpenRPC 1.x has no place for messages from a server that are not replies, hence the extension. */
function notification(schemas: SharedSchemas): object {
  const { schema, summary } = MESSAGES[ENGINE_STATUS];
  const params = schemas.take(messageSchema(schema.shape.params, "draft-7"));
  return { name: ENGINE_STATUS, summary, paramStructure: "by-name", params };
}

function examplePairing({ method, params, result }: ExchangeExample, index: number): object {
  return {
    name: `${method} ${index + 1}`,
    params: Object.entries(params).map(([name, value]) => ({ name, value })),
    result: { name: "result", value: result },
  };
}

/** Collects the schemas that several messages share, so that the document holds each once. */
class SharedSchemas {
  readonly #schemas = new Map<string, SchemaDocument>();

  /** Keeps the shared parts of a schema and returns the schema with references to where they are kept. */
  take(schema: SchemaDocument): SchemaDocument {
    const { $schema: _, definitions = {}, ...own } = relocate(schema);
    for (const [id, shared] of Object.entries(definitions)) this.#keep(id, shared);
    return own;
  }

  all(): Readonly<Record<string, SchemaDocument>> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #keep(id: string, schema: SchemaDocument): void {
    const kept = this.#schemas.get(id);
    if (kept && JSON.stringify(kept) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas have the id "${id}": what is received and what is sent must not differ`);
    }
    this.#schemas.set(id, schema);
  }
}

/** The same schema with its references into `definitions` pointing into the document's components. */
function relocate(schema: SchemaDocument): SchemaDocument {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace("#/definitions/", "#/components/schemas/") : value,
  );
}
