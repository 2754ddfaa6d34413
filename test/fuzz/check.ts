import { STATUS_CODES } from "node:http";
import { ADMIN_ERRORS } from "../../src/core/errors.ts";
import { type Destination, type RawOutcome, type Reply, repliesIn, targetOf } from "./client.ts";
import type { RawRequest } from "./raw.ts";
import { type FuzzedRequest, isHttp } from "./requests.ts";

/** Every status that the API documents, but those of failures on our side. */
const DOCUMENTED: ReadonlySet<number> = new Set(
  [200, 204, 304, ...Object.values(ADMIN_ERRORS).map(({ status }) => status)].filter((status) => status !== 500),
);

/** What is wrong with a reply, whatever it answers; the faults in words. */
function faultsOfReply({ status, headers, body }: Reply, method: string | undefined): string[] {
  const bodiless = method === "HEAD" || status === 204 || status === 401;
  const rules: readonly (readonly [string, boolean])[] = [
    ["undocumented status", DOCUMENTED.has(status)],
    ["may be cached", headers["cache-control"] === "no-store"],
    ["may be sniffed", headers["x-content-type-options"] === "nosniff"],
    ["sets a cookie", headers["set-cookie"] === undefined],
    ["allows other origins", !Object.keys(headers).some((name) => name.startsWith("access-control-"))],
    ["body where none belongs", !bodiless || body === ""],
    ["body is not an error", status < 400 || bodiless || isErrorBody(body, status)],
    ["body is not JSON", body === "" || isJson(body)],
    ["body is not declared as JSON", body === "" || headers["content-type"] === "application/json"],
    ["401 without challenge", status !== 401 || /^Basic realm="[^"]+"/.test(headers["www-authenticate"] ?? "")],
    ["401 without length", status !== 401 || headers["content-length"] === "0"],
    ["405 or 204 without Allow", (status !== 405 && status !== 204) || /OPTIONS$/.test(headers.allow ?? "")],
    ["429 or 503 without Retry-After", (status !== 429 && status !== 503) || headers["retry-after"] === "1"],
    ["header injected", headers["x-injected"] === undefined],
  ];
  return rules.filter(([, holds]) => !holds).map(([fault]) => fault);
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

function isErrorBody(body: string, status: number): boolean {
  if (!isJson(body)) return false;
  const { message, ...rest } = JSON.parse(body) as Record<string, unknown>;
  const expected = JSON.stringify({ status, error: STATUS_CODES[status] });
  return JSON.stringify(rest) === expected && typeof message === "string" && message !== "";
}

/** What `node:http` takes for request line and headers together, and how far our sum may be off. */
const MAX_HEAD = 16 * 1024;
const HEAD_MARGIN = 1_500;

/** Statuses that a request may get; `undefined` stands for a connection that is closed without a response. */
function expectedStatuses(fuzzed: FuzzedRequest, to: Destination): readonly (number | undefined)[] {
  const size = targetOf(fuzzed, to).length + fuzzed.headers.flat().join("").length;
  const oversize = size > MAX_HEAD - HEAD_MARGIN ? [431, undefined] : [];
  if (!isHttp(fuzzed)) return [400, undefined, ...oversize];
  if (size > MAX_HEAD + HEAD_MARGIN) return oversize;
  if (!fuzzed.below) return [404, ...oversize];
  if (!fuzzed.authenticated) return [401, ...oversize];
  if (fuzzed.method === "OPTIONS") return [204, 400, 404, ...oversize];
  return [200, 304, 400, 403, 404, 405, 412, 413, 415, ...oversize];
}

/** What is wrong with the response to a request. */
export function faultsOf(fuzzed: FuzzedRequest, to: Destination, reply: Reply | string): string[] {
  const expected = expectedStatuses(fuzzed, to);
  if (typeof reply === "string") return expected.includes(undefined) ? [] : [`no response: ${reply}`];
  const unexpected = expected.includes(reply.status)
    ? []
    : [`status ${reply.status} instead of ${expected.join(", ")}`];
  const answered = fuzzed.below && reply.status !== 431 && isHttp(fuzzed);
  const unnamed = answered && !/^[A-Za-z0-9._-]{1,64}$/.test(reply.headers["x-request-id"] ?? "");
  return [...unexpected, ...(unnamed ? ["no request id"] : []), ...faultsOfReply(reply, fuzzed.method)];
}

/** Statuses of requests that never prove who sends them. */
const ANONYMOUS = new Set([400, 401, 404, 408, 431]);

/** What is wrong with what came back for raw bytes. */
export function faultsOfRaw(raw: RawRequest, { received, closed }: RawOutcome): string[] {
  const { replies, junk } = repliesIn(received);
  const faults = replies.flatMap((reply) => faultsOfReply(reply, undefined));
  if (!closed) faults.push("the connection stays open");
  if (junk !== "") faults.push(`not HTTP: ${JSON.stringify(junk.slice(0, 200))}`);
  if (replies.length > raw.atMost) faults.push(`${replies.length} replies to ${raw.atMost} requests`);
  if (raw.exactly && !raw.exactly.every((status, index) => replies[index]?.status === status)) {
    faults.push(`answered ${replies.map(({ status }) => status).join(", ")} instead of ${raw.exactly.join(", ")}`);
  }
  if (!raw.authenticated && replies.some(({ status }) => !ANONYMOUS.has(status)))
    faults.push("served an unauthenticated caller");
  return faults;
}
