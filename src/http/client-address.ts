import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { isWithin, type Network, parseAddress, parseNetwork } from "../core/network.ts";
import { isEscaped } from "./parse-json.ts";

/** Proxies in front of the server whose word on the caller's address counts. */
export interface TrustedProxies {
  /** Addresses and networks (CIDR) of the proxies, for example `10.1.2.3` and `10.0.0.0/8`. */
  readonly addresses: readonly string[];
  /** The header that these proxies write; `X-Forwarded-For` by default. The other one is never read. */
  readonly header?: "X-Forwarded-For" | "Forwarded";
}

/** Value of a request's header, its name in lower case. */
export type HeaderSource = (name: string) => string | undefined;

/** Who is at the other end of a connection. */
export interface Peer {
  readonly address: string | undefined;
  /** Whether it is a trusted proxy. */
  readonly trusted: boolean;
}

/** Channel of Node.js for each socket that a server has accepted. */
const ACCEPTED = "net.server.socket";

const NO_PEER: Peer = { address: undefined, trusted: false };
const REMEMBERED_PEERS = 1_000;

/** Trusted proxies in a row that count; no installation has as many. */
const MAX_HOPS = 64;

/** Says from which address a request really comes, behind proxies too. */
export class CallerAddresses {
  readonly #trusted: readonly Network[];
  readonly #header: string;
  readonly #hopsIn: (value: string) => Iterable<string>;
  readonly #peers = new LRUCache<string, Peer>({ max: REMEMBERED_PEERS });

  /** Throws for what is neither an address nor a network. */
  constructor(proxies?: TrustedProxies) {
    unsubscribe(ACCEPTED, askForPeer);
    subscribe(ACCEPTED, askForPeer);
    this.#trusted = (proxies?.addresses ?? []).map(trustedNetwork);
    const isForwarded = proxies?.header === "Forwarded";
    this.#header = isForwarded ? "forwarded" : "x-forwarded-for";
    this.#hopsIn = isForwarded ? forwardedHops : xForwardedForHops;
  }

  /** What is known about a peer with this address, as a socket gives it. Looked at with each request, so remembered. */
  peer(remoteAddress: string | undefined): Peer {
    if (remoteAddress === undefined) return NO_PEER;
    const known = this.#peers.get(remoteAddress);
    if (known) return known;
    const address = plainAddress(remoteAddress) ?? remoteAddress;
    const peer = { address, trusted: this.#trusts(address) };
    this.#peers.set(remoteAddress, peer);
    return peer;
  }

  /**
   * The address nearest to us that is no trusted proxy. Each proxy knows only the address before its own, so the
   * chain is read from its end, and what a caller wrote in front of it counts for nothing and is not looked at.
   */
  callerOf(remoteAddress: string | undefined, header: HeaderSource): string | undefined {
    const peer = this.peer(remoteAddress);
    if (!peer.trusted) return peer.address;
    let caller = peer.address;
    let hops = 0;
    for (const hop of this.#hopsIn(header(this.#header) ?? "")) {
      const address = plainAddress(hop);
      if (address === undefined) return caller;
      caller = address;
      hops += 1;
      if (hops === MAX_HOPS || !this.#trusts(caller)) return caller;
    }
    return caller;
  }

  #trusts(text: string): boolean {
    const address = this.#trusted.length > 0 ? parseAddress(text) : undefined;
    return address !== undefined && this.#trusted.some((network) => isWithin(address, network));
  }
}

function trustedNetwork(text: string): Network {
  const network = parseNetwork(text);
  if (!network) throw new Error(`Trusted proxy "${text}" must be an address or a network (CIDR)`);
  return network;
}

/** An address without port, brackets and zone; that of IPv4 in its own form. Undefined for what is no address. */
function plainAddress(text: string): string | undefined {
  const [, bracketed, ported] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = (bracketed ?? ported ?? text).replace(/%.*$/s, "");
  const parsed = parseAddress(address);
  return parsed?.kind() === "ipv4" ? parsed.toString() : parsed && address;
}

/** Addresses as proxies wrote them, the nearest first. Each is read when it is asked for, and no character twice. */
type Hops = Generator<string, void, undefined>;

/** `X-Forwarded-For: client, proxy1, proxy2`, from its end. */
function* xForwardedForHops(value: string): Hops {
  for (let end = value.length; end > 0; ) {
    const comma = value.lastIndexOf(",", end - 1);
    const hop = value.slice(comma + 1, end).trim();
    if (hop !== "") yield hop;
    end = comma;
  }
}

/**
 * `Forwarded: for=client, for="[2001:db8::1]:4711";proto=https` (RFC 7239), from its end: a quote that a caller left open
 * must not swallow what a proxy wrote. Ends at an element that is not one; an element without `for` is an empty hop.
 */
function* forwardedHops(value: string): Hops {
  for (let end = value.length; end > 0; ) {
    const comma = lastCommaOutsideQuotes(value, end);
    const hop = comma === undefined ? undefined : forOf(value.slice(comma + 1, end));
    if (comma === undefined || hop === undefined) return;
    yield hop;
    end = comma;
  }
}

/** Place of the last comma before `end` that separates elements; -1 when there is none, undefined when a quote stays open. */
function lastCommaOutsideQuotes(value: string, end: number): number | undefined {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (value[at] === ",") return at;
    if (value[at] !== '"') continue;
    at = openingQuote(value, at);
    if (at < 0) return undefined;
  }
  return -1;
}

/** Place of the nearest quote before `closing` that is not escaped; -1 when there is none. */
function openingQuote(value: string, closing: number): number {
  let quote = closing;
  do quote = quote > 0 ? value.lastIndexOf('"', quote - 1) : -1;
  while (quote >= 0 && isEscaped(value, quote));
  return quote;
}

const PAIR = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^",;\s]*))\s*(;|$)/y;

/** The `for` of an element; empty when it has none, undefined when this is no element. */
function forOf(element: string): string | undefined {
  let hop: string | undefined;
  PAIR.lastIndex = 0;
  for (;;) {
    const match = PAIR.exec(element);
    if (match === null) return undefined;
    const [, name = "", quoted, token = "", separator] = match;
    if (name.toLowerCase() === "for") hop ??= quoted?.replace(/\\(.)/g, "$1") ?? token;
    if (separator === "") return hop ?? "";
  }
}

/**
 * The system forgets the peer of a connection that was reset. A socket that was asked once remembers it, so each is asked as soon as it
 * is accepted, whatever server accepts it.
 */
function askForPeer(message: unknown): void {
  void (message as { readonly socket: Socket }).socket.remoteAddress;
}

/** A socket of TLS holds the one that was accepted. */
interface LayeredSocket extends Socket {
  readonly _parent?: Socket;
}

/** Address at the other end of a connection, whether it is still open or not; undefined if it was reset before it was accepted. */
export function peerAddress(socket: LayeredSocket): string | undefined {
  return socket.remoteAddress ?? socket._parent?.remoteAddress;
}
