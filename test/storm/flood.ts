import type { FloodRequest } from "./requests.ts";

/** One way of flooding, among others perhaps; the shapes are those of `flood-shapes.mjs`. */
export interface FloodPart {
  readonly shape:
    | "ask"
    | "churn"
    | "drip"
    | "garble"
    | "greet"
    | "hold"
    | "pipeline"
    | "reset"
    | "shred"
    | "stream"
    | "unread";
  readonly connections: number;
  readonly requests: readonly FloodRequest[];
  /** Requests in one write. */
  readonly batch?: number;
  /** Bytes of the request that are never sent. */
  readonly missing?: number;
  /** Speaks no TLS to a port that does. */
  readonly raw?: true;
  /** Address that it comes from; that of those who are polite if absent. */
  readonly from?: string;
  /** It goes to the simulator's FIX port; to the gateway if absent. */
  readonly to?: "fix";
}

/**
 * Which gateway is flooded: where its engine is, whether that is the simulated one in its own process, whether the gateway speaks TLS, and
 * whether its users bring tokens in place of passwords.
 */
export interface Site {
  readonly engine: "embedded" | "websocket" | "nats";
  readonly simulator?: true;
  readonly tls: boolean;
  readonly tokens?: true;
}

/** What a flood uses up first: one of each class is tried in every run. */
type FloodClass = "requests" | "connections" | "passwords" | "bodies" | "replies" | "commands";

/** A flood that comes over the link: `replies` that nobody awaits, `pings`, `reports` of the engine's load. */
export type EngineFlood = "replies" | "pings" | "reports";

/** A flood, what whoever sends it has to have, and where a short run tries it; a full run does everywhere. */
export interface Flood {
  readonly name: string;
  readonly needs: "nothing" | "any user" | "a permission" | "the engine";
  readonly parts: readonly FloodPart[];
  /** What the engine sends over its links besides, without end. */
  readonly fromEngine?: EngineFlood;
  /** Where it can come at all; on each of {@link SITES} if absent. */
  readonly sites?: readonly Site[];
  readonly shortRun?: Site;
  /** Tried by `npm test`, too, for its class. */
  readonly standsFor?: FloodClass;
  /** Besides, somebody else resumes, and has to be served as if it were quiet. */
  readonly change?: true;
  /**
   * It comes from another address than those who are polite: until credentials are certain, callers take turns by their addresses, and this
   * one uses up those of its own, with TLS handshakes, with stops that are refused or with bytes of upgraded connections.
   */
  readonly fromElsewhere?: true;
}

export const SITES: readonly Site[] = [
  { engine: "websocket", tls: false },
  { engine: "websocket", tls: true },
  { engine: "embedded", tls: false },
  { engine: "embedded", tls: true },
  { engine: "nats", tls: false },
  { engine: "nats", tls: true },
  { engine: "websocket", tls: false, tokens: true },
];
/** The sites of a short run. */
export const [REMOTE, REMOTE_TLS, EMBEDDED, , NATS, NATS_TLS, TOKENS] = SITES as readonly [
  Site,
  Site,
  Site,
  Site,
  Site,
  Site,
  Site,
];

/** For what reaches the simulator alone. */
export const SIMULATOR: Site = { engine: "websocket", simulator: true, tls: false };
export const SIMULATOR_NATS: Site = { engine: "nats", simulator: true, tls: false };

/** Wherever a flood is tried. */
export const ALL_SITES: readonly Site[] = [...SITES, SIMULATOR, SIMULATOR_NATS];

const BATCH = 1_500;

/** As many requests in a write as a connection that is never waited for would send. */
export function pipelined(connections: number, ...requests: FloodRequest[]): FloodPart {
  return { shape: "pipeline", connections, requests, batch: Math.max(BATCH, requests.length) };
}

/** Long requests: a write holds one. */
export function poured(connections: number, ...requests: FloodRequest[]): FloodPart {
  return { shape: "pipeline", connections, requests, batch: 1 };
}

/** One request at a time on each connection. */
export function asked(connections: number, ...requests: FloodRequest[]): FloodPart {
  return { shape: "ask", connections, requests };
}

/** Bytes that are no messages over connections to the FIX port, of which those of its sessions have logged on. */
export function garbled(connections: number): FloodPart {
  return { shape: "garble", connections, requests: [], to: "fix" };
}

/** Connections that stay with a request that lacks so many bytes. */
export function held(connections: number, missing: number, ...requests: FloodRequest[]): FloodPart {
  return { shape: "hold", connections, requests, missing };
}
