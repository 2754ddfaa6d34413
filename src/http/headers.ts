import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { AdminError } from "../core/errors.ts";
import { serverOf } from "./guard/node-internals.ts";

/** Looks up a header, its name in lower case, in the raw list, to join repeats and to avoid building an object of all headers. */
export function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? "";
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    value = value === undefined ? rawHeaders[index + 1] : `${value}, ${rawHeaders[index + 1]}`;
  }
  return value;
}

/** Fields of a request's header that are read. Node keeps as many unless its server says otherwise, and drops the rest silently. */
const MAX_FIELDS = 1_000;

/**
 * The fault of a header that has more than 1,000 fields, or enough that the server may have dropped some (decision D-HTTP 34): among
 * them could be credentials or a second `Host`.
 */
export function fieldsFault({ rawHeaders, socket }: IncomingMessage): AdminError | undefined {
  const fields = rawHeaders.length / 2;
  const kept = serverOf(socket)?.maxHeadersCount ?? MAX_FIELDS;
  if (fields <= MAX_FIELDS && (kept === 0 || fields < kept)) return undefined;
  return new AdminError("HEADERS_TOO_LARGE", "The request has too many header fields");
}

/** The host that a request is for: that of an absolute target, whatever `Host` says (RFC 9112 section 3.2.2). */
export function requestedHost({ url = "", headers }: IncomingMessage): string {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? "";
}

/** A name or IPv4 address, or an address in brackets (RFC 3986 section 3.2.2), and a port. */
const HOST = /^(?:\[(?<address>[^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

const FUTURE_ADDRESS = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

/**
 * The fault of a `Host` that RFC 9112 section 3.2 forbids (decisions D-HTTP 25 and D-HTTP 35): servers on the way could each understand
 * another. `host` is its value, repeats joined by a comma and a space, which no host has.
 */
export function hostFault(host: string | undefined): AdminError | undefined {
  if (host === undefined || isHost(host)) return undefined;
  const fault = host.includes(", ") ? "is there more than once" : "is not valid";
  return new AdminError("BAD_REQUEST", `The header Host ${fault}`);
}

function isHost(host: string): boolean {
  const found = HOST.exec(host);
  const address = found?.groups?.address;
  if (!found || address === undefined) return found !== null;
  return FUTURE_ADDRESS.test(address) || (isIPv6(address) && !address.includes("%"));
}

/** Version, ids, flags, and what a later version may add (W3C Trace Context, sections 3.2 and 4.3). */
const TRACEPARENT =
  /^(?<version>(?!ff)[\da-f]{2})-(?<ids>(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16})-(?<flags>[\da-f]{2})(?<more>-[^\s,]*)?$/;

/**
 * The trace that a caller's `traceparent` names, undefined if it is not valid (decision D-HTTP 23). Of a later version, what version
 * 00 has is kept, in its form: of the flags only "sampled".
 */
export function traceparentOf(given: string | undefined): string | undefined {
  const { version, ids, flags = "", more } = TRACEPARENT.exec(given ?? "")?.groups ?? {};
  if (version === undefined) return undefined;
  if (version === "00") return more === undefined ? given : undefined;
  return `00-${ids}-0${Number.parseInt(flags, 16) & 1}`;
}
