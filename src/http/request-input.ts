import { LRUCache } from "lru-cache";
import type { AdminApi } from "../core/admin-api.ts";
import type { InputSource } from "../core/calls/call.ts";
import { AdminError } from "../core/errors.ts";
import { type HeldBytes, heldTooMuch } from "../core/load/held-bytes.ts";
import type { OperationName } from "../core/operations/table.ts";
import type { ValidInput } from "../core/validation/valid-input.ts";
import { isObject } from "../core/values/basics.ts";
import { refuseCrossSite } from "./cross-site.ts";
import { readJsonBody } from "./json-body.ts";
import type { BodyRoom, HttpRequest } from "./message.ts";
import { decodeQuery } from "./query.ts";
import type { Endpoint } from "./routes.ts";

/** A request for an endpoint, its body aside. */
interface AskedEndpoint {
  readonly endpoint: Endpoint;
  readonly pathInput: Readonly<Record<string, string>>;
  readonly query: string;
}

/** Where the input of a request comes from, once its user is known. */
export type RequestSource = (user: string) => InputSource;

/** Reads the input of operations out of requests. */
export interface InputReader {
  /** An equal request that was read before: dashboards ask the same again and again. */
  remembered(
    request: HttpRequest,
    path: string,
  ): { readonly name: OperationName; readonly source: RequestSource } | undefined;
  /** Where the input of an endpoint comes from; `path` is path and query below the base path. */
  sourceOf(asked: AskedEndpoint, request: HttpRequest, path: string): RequestSource;
}

const REMEMBERED_READS = 1_000;

/** Makes the reader of an API; bodies that are arriving are counted in `held`. */
export function inputReader(api: AdminApi, maxBodyBytes: number, held: HeldBytes): InputReader {
  const reads = new LRUCache<string, { name: OperationName; source: RequestSource }>({ max: REMEMBERED_READS });
  const readQuery = ({ endpoint, pathInput, query }: AskedEndpoint, path: string): ValidInput => {
    const fromQuery = decodeQuery(query, endpoint.queryFields, api.unknownFields);
    const input = api.validate(endpoint.name, { ...fromQuery, ...pathInput });
    const source = { known: pathInput, read: () => input };
    reads.set(path, { name: endpoint.name, source: () => source });
    return input;
  };
  return {
    remembered: (request, path) => (isRead(request) ? reads.get(path) : undefined),
    sourceOf: (asked, request, path) => {
      const { pathInput: known } = asked;
      if (isRead(request)) return () => ({ known, read: () => readQuery(asked, path) });
      return (user) => ({ known, read: () => readBody({ api, maxBodyBytes, held, user }, asked, request) });
    },
  };
}

function isRead({ method }: HttpRequest): boolean {
  return method === "GET" || method === "HEAD";
}

interface BodyReader {
  readonly api: AdminApi;
  readonly maxBodyBytes: number;
  readonly held: HeldBytes;
  readonly user: string;
}

/** The flat input of an operation with a body. */
async function readBody(
  { api, maxBodyBytes, held, user }: BodyReader,
  { endpoint: { operation, queryFields, pathFields }, pathInput, query }: AskedEndpoint,
  request: HttpRequest,
): Promise<unknown> {
  if (operation.lane !== "read") refuseCrossSite(request);
  decodeQuery(query, queryFields, api.unknownFields);
  const urgency = operation.lane === "stop" ? api.gate.stopUrgency(user) : "other";
  const room = bodyRoom(held, user, operation.lane === "stop");
  const body = await readJsonBody(request, { maxBytes: maxBodyBytes, room, gate: api.gate, user, urgency });
  if (!isObject(body)) return body;
  const clashes = Object.keys(body).filter((field) => pathFields.has(field));
  if (clashes.length > 0 && api.unknownFields === "reject") {
    throw new AdminError("BAD_REQUEST", clashes.map((field) => `${field}: unknown field`).join("; "));
  }
  return { ...body, ...pathInput };
}

function bodyRoom(held: HeldBytes, user: string, isStop: boolean): BodyRoom {
  let taken = 0;
  return {
    take(bytes) {
      if (!held.hasRoom(user, bytes, isStop)) throw heldTooMuch("bodies");
      held.hold(user, bytes);
      taken += bytes;
    },
    release() {
      held.release(user, taken);
      taken = 0;
    },
  };
}
