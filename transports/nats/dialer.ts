import { connect, isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import {
  AuthorizationError,
  type ConnectionOptions,
  type NatsConnection,
  NatsConnectionImpl,
  PermissionViolationError,
  setTransportFactory,
} from "@nats-io/transport-node";
import { NodeTransport, nodeResolveHost } from "@nats-io/transport-node/lib/node_transport.js";
import { checkAuthorities } from "../link/link.ts";
import { subjectsOf } from "./messages.ts";
import {
  hostAndPort,
  loginOptions,
  type NatsConnectionOptions,
  type NatsTls,
  type ServerAddress,
  serverAddresses,
} from "./options.ts";

/** Timeout of each step of connecting. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Ping interval of the client, which allows one missing pong: a half-open link is detected within two intervals. */
export const PING_INTERVAL_MS = 1_200;

/** How long one server alone is waited for before the next one is tried as well, as in RFC 8305. */
const NEXT_ATTEMPT_MS = 300;
const SILENT = "silent" as const;

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
  /** The server of the latest connection: where that was lost, it is the last one to try. */
  #latest: ServerAddress | undefined;

  constructor(options: NatsConnectionOptions, name: string) {
    this.#servers = serverAddresses(options.servers);
    this.address = this.#servers.map(({ url }) => url).join(", ");
    this.#tls = options.tls;
    checkTls(options.tls ?? {});
    this.#options = {
      ...loginOptions(options),
      name,
      // Replies to the client's own requests, such as those to JetStream, come below it, too.
      inboxPrefix: subjectsOf().inboxes,
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
    const rest = new AbortController();
    const attempt = new Attempt(this.#servers.length, AbortSignal.any([signal, rest.signal]));
    const silent: Promise<ServerAddress | undefined>[] = [];
    try {
      for (const server of this.#inOrder()) {
        const greeted = attempt.greeting(server);
        const found = await Promise.race([greeted, pause(NEXT_ATTEMPT_MS, SILENT, { signal: rest.signal })]);
        if (found === SILENT) {
          silent.push(greeted);
          continue;
        }
        const login = found && (await this.#login(found, attempt));
        if (login) return login;
      }
      for (const greeted of silent) {
        const found = await greeted;
        const login = found && (await this.#login(found, attempt));
        if (login) return login;
      }
    } finally {
      rest.abort();
    }
    signal.throwIfAborted();
    throw attempt.failure();
  }

  #inOrder(): readonly ServerAddress[] {
    const latest = this.#latest;
    const others = shuffled(this.#servers).filter((server) => server !== latest);
    return latest ? [...others, latest] : others;
  }

  async #login(server: ServerAddress, attempt: Attempt): Promise<NatsLogin | undefined> {
    const tls = this.#tlsFor(server);
    try {
      const options = { ...this.#options, servers: hostAndPort(server), ...(tls && { tls }) };
      const connection = await connectStrictly(options);
      this.#latest = server;
      return { connection, url: server.url };
    } catch (error) {
      attempt.failed(server, error);
      return undefined;
    }
  }

  #tlsFor({ host, secure }: ServerAddress): NonNullable<ConnectionOptions["tls"]> | undefined {
    const { ca, cert, key } = this.#tls ?? {};
    const material = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert, key: key ?? "" }) };
    // The client hands this to node:tls, which would look for "localhost" in the certificate of an IP address.
    const identity = isIP(host) === 0 ? {} : { host };
    return secure || this.#tls ? { ...material, ...identity } : undefined;
  }
}

/** One attempt to reach any of some servers, and why each of them failed. */
class Attempt {
  readonly #servers: number;
  readonly #signal: AbortSignal;
  readonly #reasons: string[] = [];
  #cause: unknown;

  constructor(servers: number, signal: AbortSignal) {
    this.#servers = servers;
    this.#signal = signal;
  }

  /** Resolves with the server once it has greeted, with undefined when it does not. */
  async greeting(server: ServerAddress): Promise<ServerAddress | undefined> {
    try {
      await probeServer(server.host, server.port, CONNECT_TIMEOUT_MS, this.#signal);
      return server;
    } catch (error) {
      this.failed(server, error);
      return undefined;
    }
  }

  failed({ url }: ServerAddress, error: unknown): void {
    this.#cause = error;
    this.#reasons.push(this.#servers === 1 ? inWords(error) : `${url}: ${inWords(error)}`);
  }

  failure(): Error {
    return new Error(this.#reasons.join("; "), { cause: this.#cause });
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

/** First bytes of a NATS server, which speaks first. */
const INFO = "INFO ";

/**
 * Probes an address for the greeting of a NATS server. Needed before the client connects: if a server accepts its connection and
 * stays silent, the client times out but leaks the socket (3.3.1).
 */
export function probeServer(host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect({ host, port });
    const abort = (): void => void socket.destroy(new Error("it is no longer needed"));
    signal.addEventListener("abort", abort);
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`it said nothing within ${timeoutMs} ms`)));
    socket.on("data", (data) => {
      heard += data.toString("latin1");
      if (heard.length >= INFO.length) socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      signal.removeEventListener("abort", abort);
      if (heard.startsWith(INFO)) resolve();
      else if (heard === "") reject(new Error("it closed the connection without a word"));
      else reject(new Error("it is not a NATS server, or wants TLS from the first byte"));
    });
  });
}

/**
 * Connects as `connect` of the client does, but what the server says before TLS ends with the line of its INFO. The client (3.3.1) keeps
 * what follows it and reads it as if it had come through TLS, though anyone on the way may have written it.
 */
export function connectStrictly(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new StrictTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}

class StrictTransport extends NodeTransport {
  override startTLS(): ReturnType<NodeTransport["startTLS"]> {
    const received = Buffer.concat(this.yields);
    const extra = received.length - (received.indexOf("\r\n") + 2);
    if (extra === 0) return super.startTLS();
    const reason = `its greeting is followed by ${extra} bytes in plain text, which somebody on the way may have added`;
    return Promise.reject(new Error(reason));
  }
}
