import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isOfUser } from "../../http/guard/guard-server.ts";

interface Connection {
  /** In the order of the requests. */
  readonly inProgress: Set<ServerResponse>;
  /** A request on it has succeeded. */
  known: boolean;
  /** How many of them may be stops. */
  stops: number;
  /** It has switched to another protocol. */
  isUpgraded: boolean;
}

/**
 * The connections of a server. At the limit, a new connection replaces another: idle and slow clients must not lock out a caller who
 * wants to stop trading.
 */
export class Connections {
  /** Least recently active first. */
  readonly #connections = new Map<Socket, Connection>();
  readonly #max: number;
  #dropped = 0;
  #onNone = (): void => {};

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#connections.size;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a connection; at the limit, drops another one, or this one. */
  accept(socket: Socket): void {
    if (this.#connections.has(socket)) return;
    this.#connections.set(socket, { inProgress: new Set(), known: false, stops: 0, isUpgraded: false });
    socket.once("close", () => this.#gone(socket));
    if (this.#connections.size <= this.#max) return;
    this.#dropped += 1;
    const dispensable = this.#dispensable(socket);
    // Until it has closed it would be found again, and none be dropped in its place.
    this.#gone(dispensable);
    dispensable.destroy();
  }

  /** Notes that a connection has switched to another protocol. */
  upgraded(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection) connection.isUpgraded = true;
  }

  /** Resolves when all are closed, or after the timeout. */
  whenNone(timeoutMs: number): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The pending responses of a connection; undefined for an unknown one. */
  inProgress(socket: Socket): ReadonlySet<ServerResponse> | undefined {
    return this.#connections.get(socket)?.inProgress;
  }

  /** Notes that a request is being served; `then` is called when all requests of the connection have been served. */
  track(socket: Socket, response: ServerResponse, mayBeStop: boolean, then: () => void): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.inProgress.add(response);
    if (mayBeStop) connection.stops += 1;
    response.once("close", () => {
      connection.inProgress.delete(response);
      if (mayBeStop) connection.stops -= 1;
      connection.known ||= response.statusCode < 400 && response.writableFinished;
      if (this.#connections.delete(socket)) this.#connections.set(socket, connection);
      if (connection.inProgress.size === 0) then();
    });
  }

  [Symbol.iterator](): Iterator<readonly [Socket, Readonly<Connection>]> {
    return [...this.#connections][Symbol.iterator]();
  }

  #gone(socket: Socket): void {
    this.#connections.delete(socket);
    if (this.#connections.size === 0) this.#onNone();
  }

  /**
   * The oldest without a request, with an incomplete one, or in use by the monitor, those without a successful response first; or else
   * the oldest of these over which no user has logged in and no stop is asked for.
   */
  #dispensable(newest: Socket): Socket {
    const find = (matches: (connection: Connection, socket: Socket) => boolean): Socket | undefined => {
      for (const [socket, connection] of this.#connections)
        if (socket !== newest && matches(connection, socket)) return socket;
      return undefined;
    };
    return (
      find((connection) => !connection.known && isSpare(connection)) ??
      find(isSpare) ??
      find(({ known, stops }, socket) => !known && stops === 0 && !isOfUser(socket)) ??
      newest
    );
  }
}

/** Whether a connection serves no request of the API. */
function isSpare({ inProgress, isUpgraded }: Connection): boolean {
  return isUpgraded || [...inProgress].every((response) => !response.req.complete || isForwarded(response));
}

/** Calls `then` when all pending responses of a connection are written; never if it is lost first. */
export function whenWritten(inProgress: ReadonlySet<ServerResponse>, then: () => void): void {
  const last = [...inProgress].at(-1);
  if (last) last.once("close", () => whenWritten(inProgress, then));
  else then();
}

const FORWARDED = Symbol("forwarded");

interface MarkedResponse extends ServerResponse {
  [FORWARDED]?: true;
}

export function markForwarded(response: MarkedResponse): void {
  response[FORWARDED] = true;
}

/** Whether the monitor backend gives a response. */
function isForwarded(response: MarkedResponse): boolean {
  return response[FORWARDED] === true;
}
