import { randomBytes } from "node:crypto";
import { STANDARD_PROJECTION_KEYS } from "../../src/core/values/projection.ts";
import { PROJECTION, SHORT_PROJECTION } from "./positions.ts";
import { credentials } from "./users.ts";

/** A request of a flood, as `flood-shapes.mjs` sends it. */
export interface FloodRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const BASE = "/api/admin/v1";
const JSON_BODY = { "content-type": "application/json" };

/** Somewhat less than the largest body that is read. */
const LARGE_BYTES = 120_000;

/** A body that the gateway hands on, which has no limit. */
const UPLOAD_BYTES = 940_000;

/** A request below the base path, without credentials unless a user is named. */
function ofApi(method: string, path: string, user?: string, body?: string): FloodRequest {
  const headers = {
    ...(user !== undefined && { authorization: credentials(user) }),
    ...(body !== undefined && JSON_BODY),
  };
  return { method, path: `${BASE}${path}`, headers, ...(body !== undefined && { body }) };
}

export function anonymous(): FloodRequest {
  return ofApi("GET", "/x");
}

/** A halt that the gateway refuses, as its input is invalid. */
export function invalidHalt(user: string): FloodRequest {
  return ofApi("POST", "/trading/halt", user, '{"unknown":1}');
}

export function halt(user?: string, reason = "flood"): FloodRequest {
  return ofApi("POST", "/trading/halt", user, JSON.stringify({ reason }));
}

export function resume(user: string): FloodRequest {
  return ofApi("POST", "/trading/resume", user, '{"reason":"flood"}');
}

/** One position, again and again. */
export function adjustment(user: string): FloodRequest {
  const body = { projectionPath: "Account[A1]/Symbol[S1]", size: "1", relative: true };
  return ofApi("POST", "/positions/adjust", user, JSON.stringify(body));
}

export function status(user: string, method = "GET"): FloodRequest {
  return ofApi(method, "/trading/status", user);
}

export function unknownPath(user: string): FloodRequest {
  return ofApi("GET", "/nowhere", user);
}

/** 10,000 rows. */
export function positions(user: string): FloodRequest {
  return ofApi("POST", "/positions", user, JSON.stringify({ projection: PROJECTION }));
}

export function fewPositions(user: string): FloodRequest {
  return ofApi("POST", "/positions", user, JSON.stringify({ projection: SHORT_PROJECTION }));
}

/** As many rows as are not yet a long list, from a remote engine. */
export function somePositions(user: string): FloodRequest {
  return ofApi("POST", "/positions", user, JSON.stringify({ projection: "Account" }));
}

/** A body with as many unknown fields as it can hold. */
export function unknownFields(user: string): FloodRequest {
  const fields = Array.from({ length: 15_000 }, (_, index) => `"${index.toString(36)}":1`);
  return ofApi(
    "POST",
    "/positions",
    user,
    `{${fields
      .join(",")
      .slice(0, LARGE_BYTES)
      .replace(/,[^,]*$/, "")}}`,
  );
}

/** A body with one field that fills it. */
export function longText(user: string): FloodRequest {
  return ofApi("POST", "/positions", user, JSON.stringify({ projection: PROJECTION, symbol: "x".repeat(LARGE_BYTES) }));
}

/** A body that is arrays within arrays. */
export function nested(user: string): FloodRequest {
  return ofApi("POST", "/positions", user, "[".repeat(LARGE_BYTES));
}

/** A body of as many arrays as it can hold. */
export function shortArrays(user: string): FloodRequest {
  const arrays = `${"[".repeat(30)}1${"]".repeat(30)},`.repeat(LARGE_BYTES / 62);
  return ofApi("POST", "/positions", user, `[${arrays.slice(0, -1)}]`);
}

/** A body that comes in chunks of one byte. */
export function tinyChunks(user: string): FloodRequest {
  const { headers, ...request } = positions(user);
  const blanks = "1\r\n \r\n".repeat(20_000);
  return { ...request, headers: { ...headers, "transfer-encoding": "chunked" }, body: `${blanks}0\r\n\r\n` };
}

/** An update of a risk table whose commands all lack everything. */
export function emptyCommands(user: string): FloodRequest {
  const projection = STANDARD_PROJECTION_KEYS.join("/");
  const commands = Array(7_000).fill('{"conditions":{}}').join(",");
  return ofApi("POST", "/risk/update", user, `{"projection":"${projection}","commands":[${commands}]}`);
}

/** What the commands of the largest updates are like. */
interface CommandShape {
  readonly typeAt?: (index: number) => string;
  readonly key?: string;
}

/** The largest update of a risk table: it is valid unless its commands are of another shape. */
export function largeUpdate(
  user: string,
  { typeAt = () => "UPDATE", key = "Symbol" }: CommandShape = {},
): FloodRequest {
  const limits = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`Limit${index}`, "1"]));
  const commands = Array.from({ length: 1_000 }, (_, index) => {
    return { type: typeAt(index), conditions: { Account: `A${index}`, [key]: "S" }, limits };
  });
  return ofApi("POST", "/risk/update", user, JSON.stringify({ projection: "Account/Symbol", commands }));
}

/** As large, and wrong in the last command, in all of them, in their keys, or in some and without the limits of the others. */
export function wrongUpdates(user: string): FloodRequest[] {
  return [
    largeUpdate(user, { typeAt: (index) => (index === 999 ? "UPSERT" : "UPDATE") }),
    largeUpdate(user, { typeAt: () => "UPSERT" }),
    largeUpdate(user, { key: "Symbool" }),
    largeUpdate(user, { typeAt: (index) => (index % 50 === 0 ? "UPSERT" : "DELETE") }),
  ];
}

/** A stop whose reason is long and has to be escaped. */
export function longReason(user: string): FloodRequest {
  return halt(user, "\u0001".repeat(LARGE_BYTES / 6));
}

/** A chain of proxies that never was, and a login that is tried for the address at its end. */
export function longForwarded(): FloodRequest {
  const headers = { forwarded: `${"a=,".repeat(5_000)}for=x`, authorization: credentials("nobody", "guess") };
  return { ...anonymous(), headers };
}

/** Requests that a trusted proxy says to come from as many addresses. */
export function fromEverywhere(request: FloodRequest): FloodRequest[] {
  return Array.from({ length: 2_000 }, (_, index) => {
    const forwarded = `for=10.1.${index >> 8}.${index & 255}`;
    return { ...request, headers: { ...request.headers, forwarded } };
  });
}

export function longHeaders(user: string): FloodRequest {
  return { ...status(user), headers: { ...status(user).headers, "x-filler": "x".repeat(15_000) } };
}

export function longQuery(user: string): FloodRequest {
  const parameters = Array.from({ length: 1_500 }, (_, index) => `${index.toString(36)}=`);
  return ofApi("GET", `/trading/status?${parameters.join("&").slice(0, 7_900)}`, user);
}

/** Logins with passwords that are never the same. */
export function guesses(request: FloodRequest, user = "chief"): FloodRequest[] {
  return Array.from({ length: 2_000 }, () => {
    const authorization = credentials(user, randomBytes(6).toString("hex"));
    return { ...request, headers: { ...request.headers, authorization } };
  });
}

/** A path that looks like that of a stop, and is none. */
export function pretendedHalt(): FloodRequest {
  return { ...halt(), path: `${BASE}/elsewhere/trading/halt` };
}

/** A path that a monitor might read in many ways. */
export function ambiguousPath(): FloodRequest {
  return page(`/%${"25".repeat(40)}41${"/a".repeat(3_900)}`);
}

/** A path outside of the API, which needs no credentials. */
export function page(path: string): FloodRequest {
  return { method: "GET", path };
}

/** A long body to such a path. */
export function upload(path: string): FloodRequest {
  return { method: "POST", path, body: "x".repeat(UPLOAD_BYTES) };
}

/** A document of the API. */
export function document(path: string, user: string): FloodRequest {
  return { method: "GET", path, headers: { authorization: credentials(user) } };
}

/** A WebSocket to the monitor. */
export function upgrade(path: string): FloodRequest {
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return { method: "GET", path, headers };
}
