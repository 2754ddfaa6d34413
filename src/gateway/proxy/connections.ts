import { Agent, type ClientRequestArgs } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { hostOf } from "../../core/urls.ts";

/** Connections to the monitor that may be kept without a request. */
export const MAX_IDLE = 64;

/** Twice this is below the idle timeout of common servers (5 s): no request meets a closing connection. */
const SWEEP_MS = 2_000;

/** Connecting to the monitor, or its response, timed out. */
export class MonitorTimeoutError extends Error {
  override readonly name = "MonitorTimeoutError";
}

export interface ConnectionOptions {
  readonly url: URL;
  /** Certificate authorities trusted for an `https:` monitor, PEM; those of Node by default. */
  readonly ca: string | undefined;
  /** Timeout for connecting, including the TLS handshake, in milliseconds. */
  readonly connectTimeoutMs: number;
}

/** The connections to the monitor, kept alive for at most 4 s. */
export class MonitorConnections {
  readonly agent: Agent;
  readonly #sweep: NodeJS.Timeout;
  /** Bytes each idle connection had sent at the last check. */
  readonly #sent = new WeakMap<Socket, number>();

  constructor(options: ConnectionOptions) {
    this.agent = openAgent(options);
    // One timer for all: a timer for each idle connection would be set and cleared with each request.
    this.#sweep = setInterval(() => this.#closeIdle(), SWEEP_MS).unref();
  }

  /** Closes all connections, including those in use. */
  close(): void {
    clearInterval(this.#sweep);
    this.agent.destroy();
  }

  #closeIdle(): void {
    for (const socket of Object.values(this.agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if (this.#sent.get(socket) === socket.bytesWritten) socket.destroy();
      else this.#sent.set(socket, socket.bytesWritten);
    }
  }
}

type Connect = (options: ClientRequestArgs) => Duplex | null | undefined;

function openAgent({ url, ca, connectTimeoutMs }: ConnectionOptions): Agent {
  // One read waits for its turn at a time; what comes meanwhile is read together.
  const options = { keepAlive: true, maxFreeSockets: MAX_IDLE, readableHighWaterMark: 1 };
  if (url.protocol === "http:") return prepared(new Agent(options), "connect", connectTimeoutMs);
  const host = hostOf(url);
  // Node would verify the certificate against the request's Host, which the caller chooses.
  const servername = isIP(host) === 0 ? host : "";
  const agent = new TlsAgent({ ...options, servername, ...(ca !== undefined && { ca }) });
  return prepared(agent, "secureConnect", connectTimeoutMs);
}

/** Makes new connections fail with {@link MonitorTimeoutError} after the timeout. */
function prepared<A extends Agent>(agent: A, standing: "connect" | "secureConnect", timeoutMs: number): A {
  const connect: Connect = agent.createConnection.bind(agent);
  agent.createConnection = (options) => {
    const socket = connect(options) as Socket;
    const timer = setTimeout(
      () => socket.destroy(new MonitorTimeoutError(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const stop = (): void => clearTimeout(timer);
    socket.once(standing, stop);
    socket.once("close", stop);
    return socket;
  };
  return agent;
}
