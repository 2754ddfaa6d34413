import { LRUCache } from "lru-cache";
import type { AdminApi } from "../core/admin-api.ts";
import type { InputSource } from "../core/calls/call.ts";
import { AdminError } from "../core/errors.ts";
import { Sequences } from "../core/load/concurrency.ts";
import { HeldBytes, memoryLimitExceeded } from "../core/load/held-bytes.ts";
import type { Quota } from "../core/load/quota.ts";
import type { CallName } from "../core/operations/table.ts";
import { faultMessage } from "../core/validation/faults.ts";
import type { UnknownFields } from "../core/validation/input-size.ts";
import type { ValidInput } from "../core/validation/validation.ts";
import { isObject } from "../core/values/basics.ts";
import { readJsonBody } from "./json-body.ts";
import type { BodyQuota, HttpRequest } from "./message.ts";
import { decodeEscapes, type Endpoint } from "./routes.ts";

interface RequestedEndpoint {
  readonly endpoint: Endpoint;
  readonly pathInput: Readonly<Record<string, string>>;
  readonly query: string;
}

type RequestSource = (user: string) => InputSource;

/** An operation, and where its input comes from. */
export interface KnownTarget {
  readonly kind: "operation";
  readonly name: CallName;
  readonly source: RequestSource;
}

export interface InputReader {
  /** The target and input of an equal earlier request: dashboards repeat theirs. */
  remembered(request: HttpRequest): KnownTarget | undefined;
  sourceOf(endpoint: RequestedEndpoint, request: HttpRequest): RequestSource;
}

const REMEMBERED_READS = 1_000;

/** Makes the input reader of an API; arriving bodies are counted in `held`. */
export function inputReader(api: AdminApi, maxBodyBytes: number, held: Quota): InputReader {
  const reads = new LRUCache<string, KnownTarget>({ max: REMEMBERED_READS });
  const sequences = new Sequences();
  const readQuery = ({ endpoint, pathInput, query }: RequestedEndpoint, target: string): ValidInput => {
    const fromQuery = decodeQuery(query, endpoint.queryFields, api.unknownFields);
    const input = api.validate(endpoint.name, { ...fromQuery, ...pathInput });
    const source = { known: pathInput, read: () => input };
    reads.set(target, { kind: "operation", name: endpoint.name, source: () => source });
    return input;
  };
  return {
    remembered: (request) => (isRead(request) ? reads.get(request.target) : undefined),
    sourceOf: (endpoint, request) => {
      const { pathInput: known } = endpoint;
      if (isRead(request)) return () => ({ known, read: () => readQuery(endpoint, request.target) });
      return (user) => ({
        known,
        read: () => readBody({ api, maxBodyBytes, held, sequences, user }, endpoint, request),
      });
    },
  };
}

function isRead({ method }: HttpRequest): boolean {
  return method === "GET" || method === "HEAD";
}

interface BodyReader {
  readonly api: AdminApi;
  readonly maxBodyBytes: number;
  readonly held: Quota;
  readonly sequences: Sequences;
  readonly user: string;
}

async function readBody(
  { api, maxBodyBytes, held, sequences, user }: BodyReader,
  { endpoint: { operation, queryFields, pathFields, maxContainers }, pathInput, query }: RequestedEndpoint,
  request: HttpRequest,
): Promise<unknown> {
  decodeQuery(query, queryFields, api.unknownFields);
  const priority = operation.lane === "stop" ? api.gate.stopPriority.priority(user) : "other";
  const room = bodyRoom(held, user, operation.lane === "stop");
  const reading = { maxBytes: maxBodyBytes, room, gate: api.gate, user, priority, maxContainers, sequences };
  const body = await readJsonBody(request, reading);
  if (!isObject(body)) return body;
  const clashes = Object.keys(body).filter((field) => pathFields.has(field));
  if (clashes.length > 0 && api.unknownFields === "reject") {
    throw new AdminError("BAD_REQUEST", clashes.map((field) => `${field}: unknown field`).join("; "));
  }
  return { ...body, ...pathInput };
}

function bodyRoom(quota: Quota, user: string, isStop: boolean): BodyQuota {
  const held = new HeldBytes(quota, user);
  return {
    take(bytes) {
      if (!held.take(bytes, () => isStop)) throw memoryLimitExceeded("bodies");
    },
    release: () => held.release(),
  };
}

/**
 * Decodes the query fields of an operation. Throws `BAD_REQUEST`, which names every unknown and repeated parameter (decision D-HTTP 6);
 * with `ignore`, unknown ones are left out and the first value counts.
 */
function decodeQuery(query: string, fields: ReadonlySet<string>, unknownFields: UnknownFields): Record<string, string> {
  const input: Record<string, string> = {};
  const faults: string[] = [];
  for (const [name = "", value = ""] of parameters(query)) {
    if (!fields.has(name)) faults.push(`${name}: unknown field`);
    else if (name in input) faults.push(`${name}: given more than once`);
    else input[name] = value;
  }
  if (faults.length > 0 && unknownFields === "reject")
    throw new AdminError("BAD_REQUEST", faultMessage([...new Set(faults)]));
  return input;
}

function parameters(query: string): string[][] {
  const pairs = query.split("&").filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const equals = pair.indexOf("=");
    const parts = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return parts.map((part) => decodeEscapes(part.replaceAll("+", " "), "query"));
  });
}

/** Says what is wrong with a body that a parser of the host has refused, or else that it has. */
export function refusedSource({ known, read }: InputSource, refusal: AdminError): InputSource {
  return {
    known,
    read: async () => {
      await read();
      throw refusal;
    },
  };
}
