import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { anonymousCaller } from "../core/load/caller-queue.ts";
import { isWithin, type Network, networkOrigin, parseAddress, parseNetwork } from "../core/network.ts";
import type { TrustedProxies } from "./admin-http-options.ts";
import { acceptedSocket } from "./guard/node-internals.ts";
import { isEscaped } from "./parse-json.ts";

/** Value of a request's header, its name in lower case. */
export type HeaderSource = (name: string) => string | undefined;

export interface Peer {
  readonly address: string | undefined;
  /** Whether it is a trusted proxy. */
  readonly trusted: boolean;
}

/** Channel of Node.js for each socket that a server has accepted. */
const ACCEPTED = "net.server.socket";

const NO_PEER: Peer = { address: undefined, trusted: false };
const REMEMBERED_PEERS = 1_000;

/** Longest chain of trusted proxies that is followed; no installation has as many. */
const MAX_HOPS = 64;

/** Finds the address of a request's caller, also behind proxies. */
export class CallerAddresses {
  readonly #trusted: readonly Network[];
  readonly #header: string;
  readonly #hopsIn: (value: string) => Iterable<string>;
  readonly #peers = new LRUCache<string, Peer>({ max: REMEMBERED_PEERS });

  /** Throws for a text that is neither an address nor a network. */
  constructor(proxies?: TrustedProxies) {
    unsubscribe(ACCEPTED, askForPeer);
    subscribe(ACCEPTED, askForPeer);
    this.#trusted = (proxies?.addresses ?? []).map(trustedNetwork);
    const isForwarded = proxies?.header === "Forwarded";
    this.#header = isForwarded ? "forwarded" : "x-forwarded-for";
    this.#hopsIn = isForwarded ? forwardedHops : xForwardedForHops;
  }

  /** The peer with this address, as a socket reports it; cached, since each request needs it. */
  peer(remoteAddress: string | undefined): Peer {
    if (remoteAddress === undefined) return NO_PEER;
    const known = this.#peers.get(remoteAddress);
    if (known) return known;
    const address = plainAddress(remoteAddress) ?? remoteAddress;
    const peer = { address, trusted: this.#trusts(address) };
    this.#peers.set(remoteAddress, peer);
    return peer;
  }

  /** Names the peer of a connection as a caller that has not logged in. */
  anonymousCallerOf(socket: Socket): string {
    return anonymousCaller(networkOrigin(this.peer(peerAddress(socket)).address));
  }

  /** Names a connection as a caller that has not logged in: its origin, unless that is a trusted proxy. */
  callerAt(socket: Socket): string {
    const { address, trusted } = this.peer(peerAddress(socket));
    return trusted ? anonymousCaller(`${address}, port ${socket.remotePort}`) : this.anonymousCallerOf(socket);
  }

  /**
   * The nearest address that is not a trusted proxy. Each proxy knows only the address before its own, so the chain is read from
   * its end; anything that a caller wrote in front of it is ignored.
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

/** An address without port, brackets and zone, mapped IPv4 as IPv4; undefined for any other text. */
function plainAddress(text: string): string | undefined {
  const [, bracketed, ported] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = (bracketed ?? ported ?? text).replace(/%.*$/s, "");
  const parsed = parseAddress(address);
  return parsed?.kind() === "ipv4" ? parsed.toString() : parsed && address;
}

/** Addresses as proxies wrote them, nearest first; parsed lazily, each character once. */
type Hops = Generator<string, void, undefined>;

/** Parses `X-Forwarded-For: client, proxy1, proxy2` from its end. */
function* xForwardedForHops(value: string): Hops {
  for (let end = value.length; end > 0; ) {
    const comma = value.lastIndexOf(",", end - 1);
    const hop = value.slice(comma + 1, end).trim();
    if (hop !== "") yield hop;
    end = comma;
  }
}

/**
 * `Forwarded: for=client, for="[2001:db8::1]:4711";proto=https` (RFC 7239), parsed from its end: a quote that a caller left
 * open must not swallow what a proxy wrote. Ends at a malformed element; an element without `for` is an empty hop.
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

/** Index of the last comma before `end` that separates elements; -1 if there is none, undefined if a quote is left open. */
function lastCommaOutsideQuotes(value: string, end: number): number | undefined {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (value[at] === ",") return at;
    if (value[at] !== '"') continue;
    at = openingQuote(value, at);
    if (at < 0) return undefined;
  }
  return -1;
}

/** Index of the nearest unescaped quote before `closing`; -1 if there is none. */
function openingQuote(value: string, closing: number): number {
  let quote = closing;
  do quote = quote > 0 ? value.lastIndexOf('"', quote - 1) : -1;
  while (quote >= 0 && isEscaped(value, quote));
  return quote;
}

const PAIR = /\s*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^",;\s]*))\s*(;|$)/y;

/** The `for` of an element; empty if it has none, undefined for a malformed element. */
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
 * The operating system forgets the peer of a connection that was reset, but a socket caches it. So each socket is asked as soon as any
 * server has accepted it.
 */
function askForPeer(message: unknown): void {
  void (message as { readonly socket: Socket }).socket.remoteAddress;
}

/** Peer address of a connection, open or closed; undefined if it was reset before it was accepted. */
export function peerAddress(socket: Socket): string | undefined {
  return socket.remoteAddress ?? acceptedSocket(socket)?.remoteAddress;
}
