import { describe, expect, it } from "vitest";
import type { OpenApiDocument } from "../../src/openapi/open-api.ts";
import { committedDocument } from "./committed.ts";
import { breakingChanges } from "./compatibility.ts";

/** The document with everything in it open to change. */
type Draft = { [key: string]: Draft } & Draft[];

/** A document in which a step was changed. `at` is the place, with dots between the steps. */
function withChange(at: string, change: (holder: Draft, key: string) => void): OpenApiDocument {
  const document: unknown = structuredClone(committedDocument());
  const steps = at.split(" ");
  const last = steps.pop() ?? "";
  const holder = steps.reduce<Draft>((value, step) => {
    const next = value[step];
    if (next === undefined) throw new Error(`${at}: there is no ${step}`);
    return next;
  }, document as Draft);
  change(holder, last);
  return document as OpenApiDocument;
}

function without(at: string): OpenApiDocument {
  return withChange(at, (holder, key) => {
    if (!(key in holder)) throw new Error(`${at}: there is no ${key}`);
    delete holder[key];
  });
}

function having(at: string, value: unknown): OpenApiDocument {
  return withChange(at, (holder, key) => {
    holder[key] = structuredClone(value) as Draft;
  });
}

const HALT = "paths /trading/halt post";
const STATUS = "paths /trading/status get";
const SCHEMAS = "components schemas";
const RETRY_AFTER = "components responses Unavailable headers Retry-After";
const OF_HALT = "POST /trading/halt: request";
const text = { type: "string" };

const BREAKING: readonly [what: string, after: OpenApiDocument, ...words: string[]][] = [
  ["an operation is gone", without(HALT), "POST /trading/halt is gone"],
  ["a path is gone", without("paths /services"), "GET /services is gone"],
  ["an operation has another name", having(`${HALT} operationId`, "stop"), "the name was haltTrading and is stop"],
  [
    "a read needs a permission",
    having(`${STATUS} x-permission`, "HALT_RESUME_TRADING"),
    "GET /trading/status: the permission was null and is HALT_RESUME_TRADING",
  ],
  ["a read may not be repeated", having(`${STATUS} x-retry`, "never"), "the retry class was safe and is never"],
  ["a status is gone", without(`${STATUS} responses 504`), "GET /trading/status: the status 504 is gone"],
  ["a header is gone", without(RETRY_AFTER), "503: the header Retry-After is gone"],
  [
    "a header may be absent",
    having("components headers RetryAfter required", false),
    "503 header Retry-After: may be absent now",
  ],
  [
    "a header has another type",
    having("components headers RetryAfter schema type", "string"),
    "429 header Retry-After: the type string may now come",
  ],
  ["a parameter is gone", having(`${STATUS} parameters`, []), "the parameter projectionPath is gone"],
  [
    "a parameter is required",
    having(`${STATUS} parameters 0 required`, true),
    "the parameter projectionPath is required now",
  ],
  [
    "a parameter is new and required",
    having(`${STATUS} parameters 1`, { name: "x", in: "query", required: true, description: "", schema: text }),
    "the parameter x is new and required",
  ],
  [
    "a parameter moved",
    having(`${STATUS} parameters 0 in`, "header"),
    "the place of the parameter projectionPath was query",
  ],
  [
    "a parameter has another default",
    having(`${STATUS} parameters 0 schema default`, "Source[A]"),
    'parameter projectionPath: the default was "" and is "Source[A]"',
  ],
  [
    "a parameter is narrower",
    having(`${STATUS} parameters 0 schema pattern`, "^$"),
    "parameter projectionPath: pattern was ",
    "and is ^$",
  ],
  [
    "the value of a choice has another name",
    having(`${SCHEMAS} ServiceStatus x-enum-varnames`, ["CONNECTED", "DISCONNECTED"]),
    "the name of Connected was SERVICE_STATUS_CONNECTED and is CONNECTED",
  ],
  ["a body is required", having(`${HALT} requestBody required`, true), "a body is required now"],
  ["a body is no longer taken", without(`${HALT} requestBody`), "a body is no longer taken"],
  [
    "a body is required where none was",
    having("paths /fix/gateways/{gateway}/sessions/{session}/disable post requestBody", {
      required: true,
      content: {},
    }),
    "disable: a body is required now",
  ],
  [
    "a field of a request is gone",
    without(`${SCHEMAS} HaltTradingRequest properties reason`),
    `${OF_HALT}.reason: the field is gone`,
  ],
  [
    "a field of a request is required",
    having(`${SCHEMAS} HaltTradingRequest required`, ["reason"]),
    `${OF_HALT}.reason: is required now`,
  ],
  [
    "a field of a request is new and required",
    withChange(`${SCHEMAS} HaltTradingRequest properties`, (holder) => {
      Object.assign(holder.properties ?? {}, { approval: text });
      Object.assign(holder, { required: ["approval"] });
    }),
    `${OF_HALT}.approval: is required now`,
  ],
  [
    "a field of a request has another type",
    having(`${SCHEMAS} HaltTradingRequest properties cancelOrders type`, "string"),
    `${OF_HALT}.cancelOrders: the type boolean is no longer taken`,
  ],
  [
    "a value of a request is gone",
    having(`${SCHEMAS} RiskCommandType enum`, ["INSERT", "UPDATE"]),
    "POST /risk/update: request.commands[].type: the value DELETE is no longer taken",
  ],
  [
    "free text of a request becomes a choice",
    having(`${SCHEMAS} HaltTradingRequest properties reason enum`, ["drill"]),
    `${OF_HALT}.reason: any other value than drill is no longer taken`,
  ],
  [
    "more commands are asked for",
    having(`${SCHEMAS} UpdateRiskTableRequest properties commands minItems`, 2),
    "minItems was 1 and is 2",
  ],
  [
    "decimals are shorter",
    having(`${SCHEMAS} DecimalOrNaN maxLength`, 32),
    "request.averageCost: maxLength was 64 and is 32",
  ],
  [
    "null is no longer a limit",
    having(`${SCHEMAS} RiskCommand properties limits additionalProperties`, text),
    "request.commands[].limits{}: the type null is no longer taken",
  ],
  [
    "an open request is closed",
    having(`${SCHEMAS} RiskCommand properties limits additionalProperties`, false),
    "request.commands[].limits: fields that are not named are no longer taken",
  ],
  ["a field of a response is gone", without(`${SCHEMAS} Service properties dma`), "200.dma: the field is gone"],
  [
    "a field of a response may be absent",
    having(`${SCHEMAS} Service required`, ["name", "type", "system", "enabled", "status"]),
    "GET /services: 200[].dma: may be absent now",
  ],
  [
    "a field of a response may be null",
    having(`${SCHEMAS} FixSession properties sessionId type`, ["string", "null"]),
    "200[].sessionId: the type null may now come",
  ],
  [
    "an enumeration of a response may be null",
    having(`${SCHEMAS} FixSession properties status`, {
      anyOf: [{ $ref: "#/components/schemas/FixSessionStatus" }, { type: "null" }],
    }),
    "200[].status: the type null may now come",
  ],
  [
    "an enumeration of a response has more values",
    having(`${SCHEMAS} GatewayType enum 4`, "DropCopy"),
    "200[].gatewayType: the value DropCopy may now come",
  ],
  [
    "an enumeration of a response becomes free text",
    without(`${SCHEMAS} ServiceStatus enum`),
    "200[].status: any other value than Connected, Disconnected may now come",
  ],
  [
    "a long is another number",
    having(`${SCHEMAS} FixSession properties inboundSequence format`, "int32"),
    "format was int64 and is int32",
  ],
  [
    "decimals of responses may be anything",
    without(`${SCHEMAS} NullableDecimal pattern`),
    "200[].averageCost: pattern was",
  ],
  [
    "an empty response has content",
    having(`${HALT} responses 200 content`, {}),
    "POST /trading/halt: 200: there is a body now",
  ],
  [
    "a response has no content",
    without(`${STATUS} responses 200 content`),
    "200: the content application/json is gone",
  ],
  [
    "an error has another shape",
    without(`${SCHEMAS} ErrorBody properties error`),
    "GET /services: 400.error: the field is gone",
  ],
  ["a type that generators name is gone", without(`${SCHEMAS} RiskRow`), "the schema RiskRow is gone"],
  ["the server moved", having("servers 0 url", "/api/admin/v2"), "the server was /api/admin/v1 and is /api/admin/v2"],
  ["credentials are others", having("components securitySchemes", {}), "the security scheme was"],
  [
    "what cannot be judged changed",
    having(`${SCHEMAS} Service not`, { type: "null" }),
    "200[]: changed, and nobody can judge not",
  ],
];

const HARMLESS: readonly [what: string, after: OpenApiDocument][] = [
  ["nothing changed", committedDocument()],
  ["an operation is new", having("paths /new", { get: committedDocument().paths["/services"]?.get })],
  ["a status is new", having(`${STATUS} responses 418`, { description: "", headers: {} })],
  ["texts changed", having(`${HALT} description`, "Stops.")],
  ["examples changed", having(`${HALT} requestBody content application/json examples`, {})],
  ["a permission is no longer needed", having(`${HALT} x-permission`, null)],
  ["a mutation may be repeated", having(`${HALT} x-retry`, "safe")],
  [
    "an optional parameter is new",
    having(`${STATUS} parameters 4`, { name: "x", in: "query", required: false, description: "", schema: text }),
  ],
  ["a required field of a request is optional", having(`${SCHEMAS} ListPositionsRequest required`, [])],
  ["an optional field of a request is new", having(`${SCHEMAS} HaltTradingRequest properties ticket`, text)],
  ["a request takes more values", having(`${SCHEMAS} RiskCommandType enum 3`, "REPLACE")],
  [
    "a request takes another type too",
    having(`${SCHEMAS} HaltTradingRequest properties reason type`, ["string", "null"]),
  ],
  ["a request takes longer decimals", having(`${SCHEMAS} DecimalOrNaN maxLength`, 128)],
  ["a request takes fields that are not named", without(`${SCHEMAS} HaltTradingRequest additionalProperties`)],
  ["a response has a new field", having(`${SCHEMAS} Service properties owner`, text)],
  ["an optional field of a response is always there", having(`${SCHEMAS} Position required 9`, "account")],
  ["a field of a response is never null", having(`${SCHEMAS} FixSession properties localPort type`, ["integer"])],
  ["an enumeration of a response has fewer values", having(`${SCHEMAS} GatewayType enum`, ["RFQ"])],
  ["a header is new", having(`${STATUS} responses 200 headers X-Age`, { $ref: "#/components/headers/RetryAfter" })],
  ["a type is new", having(`${SCHEMAS} Owner`, text)],
];

describe("D-PKG 7: a breaking change against docs/openapi.json is found and described", () => {
  it.each(BREAKING)("such as %s", (_what, after, ...words) => {
    const found = breakingChanges(committedDocument(), after);
    for (const sentence of words) expect(found.join("\n")).toContain(sentence);
    expect(found).not.toEqual([]);
  });
});

describe("D-PKG 7: a change that clients need not notice is none", () => {
  it.each(HARMLESS)("such as %s", (_what, after) => {
    expect(breakingChanges(committedDocument(), after)).toEqual([]);
  });
});
