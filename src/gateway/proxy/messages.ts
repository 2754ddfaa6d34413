import {
  type IncomingMessage,
  type InformationEvent,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { peerAddress } from "../../http/client-address.ts";
import { addForwardingHeaders, type Forwarding, isBelieved, isTelling } from "./forwarding-headers.ts";

/** Hop-by-hop headers (RFC 9110 section 7.6.1); and `Proxy`, which CGI programs take for a setting. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** These are rewritten in a request, whatever the caller lists in `Connection`. */
const WRITTEN_ANEW = new Set(["content-length", "expect", "host", "http2-settings", "via"]);

/** Headers in which the API speaks: a response of the monitor must not look like one of it. */
const OF_THE_API = /^x-admin-|^x-request-id$/;

const NO_NAMES: ReadonlySet<string> = new Set();

/** A target in origin form, and its host (RFC 9112 section 3.2). */
export interface MonitorTarget {
  readonly path: string;
  readonly host: string;
}

/** The target of a request to the monitor; undefined for an invalid one. */
export function monitorTarget({ url = "", headers }: IncomingMessage): MonitorTarget | undefined {
  const host = headers.host ?? "";
  if (url.startsWith("/") || url === "*") return { path: url, host };
  // The host of an absolute target replaces that of the header (RFC 9112 section 3.2.2).
  const [, authority, rest = ""] = /^https?:\/\/([\w.~:[\]-]+)([/?].*)?$/is.exec(url) ?? [];
  return authority === undefined ? undefined : { path: rest.startsWith("/") ? rest : `/${rest}`, host: authority };
}

/** Framing of a request's body. */
export type BodyFraming = "none" | "length" | "chunks";

/** The framing of a request's body; undefined for an unsupported transfer coding. */
export function bodyFraming({ headers }: IncomingMessage): BodyFraming | undefined {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) return coding.toLowerCase() === "chunked" ? "chunks" : undefined;
  return headers["content-length"] === undefined ? "none" : "length";
}

/** The headers of a request to the monitor; `via` names this gateway (RFC 9110 section 7.6.3). */
export function requestHeaders(
  request: IncomingMessage,
  { host }: MonitorTarget,
  forwarding: Forwarding,
  via: string,
): OutgoingHttpHeaders {
  const { headers } = request;
  const named = namesIn(headers.connection);
  const { trusted } = forwarding.callers.peer(peerAddress(request.socket));
  const kept: OutgoingHttpHeaders = { host };
  for (const name of Object.keys(headers)) {
    if (HOP_BY_HOP.has(name) || WRITTEN_ANEW.has(name) || named.has(name)) continue;
    if (isTelling(name) && !(trusted && isBelieved(name, forwarding))) continue;
    kept[name] = headers[name];
  }
  if (headers["content-length"] !== undefined) kept["content-length"] = headers["content-length"];
  if (/(?:^|[\s,])trailers(?:$|[\s,;])/i.test(headers.te?.toString() ?? "")) kept.te = "trailers";
  kept.via = headers.via === undefined ? via : `${headers.via}, ${via}`;
  addForwardingHeaders(kept, request, host, forwarding);
  return kept;
}

/** Whether a header of the monitor's response is passed on; its name is in lower case. */
export type HeaderFilter = (name: string, value: string) => boolean;

/** The headers of the response to the caller, flat as in `rawHeaders`: repeats and spelling are kept. */
export function responseHeaders(
  { headers, rawHeaders }: IncomingMessage,
  takesTrailers: boolean,
  passes: HeaderFilter,
): string[] {
  const named = namesIn(headers.connection);
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index], rawHeaders[index + 1]];
    const lower = name.toLowerCase();
    if (OF_THE_API.test(lower) || !passes(lower, value)) continue;
    if (lower === "trailer" && takesTrailers) kept.push(name, value);
    else if (!HOP_BY_HOP.has(lower) && (!named.has(lower) || lower === "content-length")) kept.push(name, value);
  }
  return kept;
}

/** Whether a response is chunked, so that it may have trailers. */
export function isChunked(request: IncomingMessage, { statusCode = 0, headers }: IncomingMessage): boolean {
  const bodiless = request.method === "HEAD" || statusCode === 204 || statusCode === 304;
  return request.httpVersion === "1.1" && !bodiless && headers["content-length"] === undefined;
}

/** The trailers of a message that are passed on, without headers that are not allowed there. */
export function trailersOf({ rawTrailers }: IncomingMessage, passes: HeaderFilter = () => true): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawTrailers.length; index += 2) {
    const [name = "", value = ""] = [rawTrailers[index], rawTrailers[index + 1]];
    const lower = name.toLowerCase();
    const isOurs = HOP_BY_HOP.has(lower) || WRITTEN_ANEW.has(lower) || OF_THE_API.test(lower);
    if (!isOurs && !isTelling(lower) && passes(lower, value)) pairs.push([name, value]);
  }
  return pairs;
}

/** Responds with an error in plain text: the monitor's paths are outside the API, so there is no JSON body. */
export function respondWithText(response: ServerResponse, status: number, message: string): void {
  const body = `${message}\n`;
  response.writeHead(status, STATUS_CODES[status], {
    "Cache-Control": "no-store",
    "Content-Length": Buffer.byteLength(body),
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

function namesIn(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || /^(?:keep-alive|close|upgrade)$/i.test(connection)) return NO_NAMES;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

/** A link of a header `Link` (RFC 8288 section 3). */
const LINK = /<[^<>]*>[^,"]*(?:"[^"]*"[^,"]*)*/g;

const PRINTABLE = /^[\t -~]*$/;

/** A link that Node's own check accepts at the first try: behind a fault it tries each parameter in two ways, and so takes twice as long for each. */
const PLAIN_LINK = /^<[^<>]*>(?:[ \t]*;[ \t]*[^;"\s=]+(?:=(?:"[^;"\s]*"|[^;"\s]*))?)*$/;

/**
 * Forwards informational responses of the monitor (RFC 9110 section 15.2) as far as Node supports it: 102, and the links of 103. The
 * response does not depend on them.
 */
export function handInformation({ statusCode, rawHeaders }: InformationEvent, response: ServerResponse): void {
  // HTTP/1.0 has no such responses.
  if (response.req.httpVersion === "1.0") return;
  if (statusCode === 102) response.writeProcessing();
  else if (statusCode === 103) hint(rawHeaders, response);
}

function hint(rawHeaders: readonly string[], response: ServerResponse): void {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "link");
  const links = values.flatMap((value) => value.match(LINK) ?? []).map((link) => link.trim());
  response.writeEarlyHints({ link: links.filter((link) => PRINTABLE.test(link) && PLAIN_LINK.test(link)) });
}
