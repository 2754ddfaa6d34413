import { LRUCache } from "lru-cache";
import { isWithin, type Network, parseAddress, parseNetwork } from "../core/network.ts";
import { forwardedHops, xForwardedForHops } from "./forwarded-hops.ts";

/** Proxies in front of the server whose word on the caller's address counts. */
export interface TrustedProxies {
  /** Addresses and networks (CIDR) of the proxies, for example `10.1.2.3` and `10.0.0.0/8`. */
  readonly addresses: readonly string[];
  /** The header that these proxies write; `X-Forwarded-For` by default. The other one is never believed. */
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

const NO_PEER: Peer = { address: undefined, trusted: false };
const REMEMBERED_PEERS = 1_000;

/** Trusted proxies in a row that are believed; nobody has as many. */
const MAX_HOPS = 64;

/** Says from which address a request really comes, behind proxies too. */
export class CallerAddresses {
  readonly #trusted: readonly Network[];
  readonly #header: string;
  readonly #hopsIn: (value: string) => Iterable<string>;
  readonly #peers = new LRUCache<string, Peer>({ max: REMEMBERED_PEERS });

  /** Throws for what is neither an address nor a network. */
  constructor(proxies?: TrustedProxies) {
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
   * The address nearest to us that is no trusted proxy. Each proxy vouches only for the address before its own, so the
   * chain is read from its end, and what a caller wrote in front of it counts for nothing and is not looked at.
   */
  callerOf(remoteAddress: string | undefined, header: HeaderSource): string | undefined {
    const peer = this.peer(remoteAddress);
    if (!peer.trusted) return peer.address;
    let caller = peer.address;
    let believed = 0;
    for (const hop of this.#hopsIn(header(this.#header) ?? "")) {
      const address = plainAddress(hop);
      if (address === undefined) return caller;
      caller = address;
      believed += 1;
      if (believed === MAX_HOPS || !this.#trusts(caller)) return caller;
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
