import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import {
  AuthorizationError,
  type ConnectionOptions,
  type NatsConnection,
  PermissionViolationError,
} from "@nats-io/transport-node";
import { checkAuthorities } from "../link/link.ts";
import type { NatsConnectionOptions, NatsTls } from "./connection-options.ts";
import { loginOptions } from "./connection-options.ts";
import { awaitGreeting } from "./greeting.ts";
import { hostAndPort, type ServerAddress, serverAddresses } from "./server-address.ts";
import { connectStrictly } from "./strict-transport.ts";

/** Timeout of each step of connecting. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Ping interval of the client, which allows one missing pong: a half-open link is detected within two intervals. */
export const PING_INTERVAL_MS = 4_000;

/** A connection, and the server that it is to. */
export interface NatsLogin {
  readonly connection: NatsConnection;
  readonly url: string;
}

/** Connects to the servers of one bus. The constructor throws `TypeError` for options that can never work. */
export class NatsDialer {
  /** The servers, for messages; holds nothing secret. */
  readonly address: string;
  readonly #servers: readonly ServerAddress[];
  readonly #options: ConnectionOptions;
  readonly #tls: NatsTls | undefined;

  constructor(options: NatsConnectionOptions, name: string) {
    this.#servers = serverAddresses(options.servers);
    this.address = this.#servers.map(({ url }) => url).join(", ");
    this.#tls = options.tls;
    checkTls(options.tls ?? {});
    this.#options = {
      ...loginOptions(options),
      name,
      // A new connection per attempt: unsent data is dropped with the old one, so nothing is sent twice or late.
      reconnect: false,
      ignoreClusterUpdates: true,
      timeout: CONNECT_TIMEOUT_MS,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: 1,
      noAsyncTraces: true,
    };
  }

  /** Connects to the first server that accepts; rejects with the reasons of all if none does. */
  async dial(signal: AbortSignal): Promise<NatsLogin> {
    const reasons: string[] = [];
    let cause: unknown;
    for (const server of shuffled(this.#servers)) {
      try {
        return { connection: await this.#connect(server, signal), url: server.url };
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        reasons.push(this.#servers.length === 1 ? inWords(error) : `${server.url}: ${inWords(error)}`);
      }
    }
    throw new Error(reasons.join("; "), { cause });
  }

  async #connect(server: ServerAddress, signal: AbortSignal): Promise<NatsConnection> {
    await awaitGreeting(server.host, server.port, CONNECT_TIMEOUT_MS, signal);
    const tls = this.#tlsFor(server);
    return connectStrictly({ ...this.#options, servers: hostAndPort(server), ...(tls && { tls }) });
  }

  #tlsFor({ host, secure }: ServerAddress): NonNullable<ConnectionOptions["tls"]> | undefined {
    const { ca, cert, key } = this.#tls ?? {};
    const material = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert, key: key ?? "" }) };
    // The client hands this to node:tls, which would look for "localhost" in the certificate of an IP address.
    const identity = isIP(host) === 0 ? {} : { host };
    return secure || this.#tls ? { ...material, ...identity } : undefined;
  }
}

function checkTls({ ca, cert, key }: NatsTls): void {
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError("A certificate and its private key belong together; only one of them was given");
  }
  try {
    checkAuthorities(ca);
    createSecureContext({ ca, cert, key });
  } catch (cause) {
    throw new TypeError(`The TLS material for NATS cannot be read: ${inWords(cause)}`, { cause });
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Why something with a NATS server failed, for people. Holds nothing secret: what servers say names no credentials. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return "the connection broke off";
  if (error instanceof AuthorizationError) return `it refused the login (${error.message})`;
  if (error instanceof PermissionViolationError) return `it does not let this user do that (${error.message})`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection broke off";
  // A host with several addresses has an error without a message.
  return error.message || code || error.name;
}
