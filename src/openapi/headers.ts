import { ADMIN_ERRORS, UNREAD_CODES } from "../core/errors.ts";
import { operationNames, operations } from "../core/operations/table.ts";
import type { HeaderObject, ParameterObject, Reference } from "./open-api.ts";

/** Headers of responses (decisions D-HTTP 8, D-HTTP 11, D-HTTP 20, D-ENG 16, D-UAC 23), by their name in the components. */
export const HEADERS = {
  RequestId: {
    description: "Id of the request: the caller's own where it sent one. It is in every log line and audit record.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,64}$", examples: ["7f3c9e1a-000001"] },
  },
  CacheControl: {
    description: "Responses must not be cached: state changes, and reasons are for the caller alone.",
    required: true,
    schema: { type: "string", examples: ["no-store"] },
  },
  ContentTypeOptions: {
    description: "The content is what `Content-Type` says.",
    required: true,
    schema: { type: "string", examples: ["nosniff"] },
  },
  Challenge: {
    description: "The credentials that are asked for (RFC 9110 section 11.6.1).",
    required: true,
    schema: { type: "string", examples: ['Basic realm="trading-admin", charset="UTF-8"', "Bearer"] },
  },
  RetryAfter: {
    description: "Seconds after which to try again. Nothing was sent to the engine.",
    required: true,
    schema: { type: "integer", format: "int32", examples: [1] },
  },
  EntityTag: {
    description:
      "Strong entity tag of the body (RFC 9110 section 8.8.3): equal as long as the state shows the same. `If-None-Match` with it gives 304.",
    required: true,
    schema: {
      type: "string",
      pattern: '^"[A-Za-z0-9_-]+"$',
      examples: ['"Vk9nHh3JqYxXS0YfPq0c1l7o8m2t4uZrWbEdGgKsLtA"'],
    },
  },
  Warning: {
    description:
      "Says which part of the request had no effect, or names the fields of the engine's reply that break the contract and are " +
      "therefore null or left out; absent when there is neither.",
    required: false,
    schema: {
      type: "string",
      examples: [
        ...operationNames.flatMap((name) => operations[name].warning ?? []),
        "The engine's reply breaks the contract: inboundSequence of OE1 FIXCLIENT1 (null)",
      ],
    },
  },
  Outcome: {
    description:
      "What happened to the command in a request; absent for a read. `applied`: the engine accepted it, whatever the status says. " +
      "`not-applied`: nothing was changed. `unknown`: it may have been applied; re-read the state before any retry. Where a proxy has " +
      "taken it out, the status decides.",
    required: false,
    schema: { type: "string", pattern: "^(applied|not-applied|unknown)$", examples: ["applied"] },
  },
  Approves: {
    description:
      "Which request of another user the change has approved, where the gateway requires two people; absent otherwise. " +
      "`requestedBy`, `requestedAt`, `requestId` and, if one was given, `requestReason`, as in the audit records, in " +
      "`application/x-www-form-urlencoded` (UTF-8); texts of more than 256 bytes are cut and end with `...`.",
    required: false,
    schema: {
      type: "string",
      examples: [
        "requestedBy=alice&requestedAt=2026-01-05T09%3A30%3A00.000Z&requestId=7f3c-1&requestReason=venue+is+back",
      ],
    },
  },
} as const satisfies Readonly<Record<string, HeaderObject>>;

type HeaderName = keyof typeof HEADERS;

const FIELD_NAMES: Readonly<Record<HeaderName, string>> = {
  RequestId: "X-Request-Id",
  CacheControl: "Cache-Control",
  ContentTypeOptions: "X-Content-Type-Options",
  Challenge: "WWW-Authenticate",
  RetryAfter: "Retry-After",
  EntityTag: "ETag",
  Warning: "X-Admin-Warning",
  Outcome: "X-Admin-Outcome",
  Approves: "X-Admin-Approves",
};

const ALWAYS: readonly HeaderName[] = ["CacheControl", "ContentTypeOptions"];

/** Headers by status, in addition to those of all responses. */
const OF_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  304: ["EntityTag", "Warning"],
  401: ["Challenge"],
  429: ["RetryAfter"],
  503: ["RetryAfter"],
};

/** Statuses for what did not become a request of the API, and so has no id. */
const WITHOUT_ID: ReadonlySet<number> = new Set(UNREAD_CODES.map((code) => ADMIN_ERRORS[code].status));

/** The headers of a response by their field names. */
export function headersOf(status: number, more: readonly HeaderName[] = []): Record<string, Reference> {
  const id: readonly HeaderName[] = WITHOUT_ID.has(status) ? [] : ["RequestId"];
  const outcome: readonly HeaderName[] = status < 400 || WITHOUT_ID.has(status) ? [] : ["Outcome"];
  const names = [...id, ...ALWAYS, ...(OF_STATUS[status] ?? []), ...outcome, ...more];
  return Object.fromEntries(names.map((name) => [FIELD_NAMES[name], { $ref: `#/components/headers/${name}` }]));
}

/** Conditions of requests (RFC 9110 section 13), by their name in the components. Examples would fill in what never holds. */
export const CONDITION_PARAMETERS = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description:
      "Entity tags of what the caller has: where the state shows the same, the response is 304 without content.",
    schema: { type: "string" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      "Entity tag of the state that the caller has decided by, as the read of the same target gave it. Where the state shows another one right " +
      "before the command would be sent, the response is 412 and nothing is sent. It is the gateway that compares: a change through " +
      "another gateway, or at the engine, can still come in between.",
    schema: { type: "string" },
  },
} as const satisfies Readonly<Record<string, ParameterObject>>;

/** Headers that any request may carry (decisions D-HTTP 21, D-HTTP 23), by their name in the components. */
export const HEADER_PARAMETERS = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "Id under which the request is logged and audited: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other is replaced by one of the server's own.",
    schema: { type: "string", examples: ["drill-2026-03-02"] },
  },
  TraceParent: {
    name: "traceparent",
    in: "header",
    required: false,
    description: "W3C trace context; passed on to the engine and recorded. One that is not valid is ignored.",
    schema: { type: "string", examples: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"] },
  },
} as const satisfies Readonly<Record<string, ParameterObject>>;
