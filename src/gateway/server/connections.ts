import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A connection and what is being served on it. */
interface Connection {
  /** In the order of the requests. */
  readonly underWay: Set<ServerResponse>;
  /** A request on it was served with success. */
  known: boolean;
  /** It speaks another protocol now. */
  isUpgraded: boolean;
}

/**
 * The connections of a server. When there is no place for a new one, it takes that of another: a caller that comes to stop trading
 * must not find the door shut by clients that are idle, or slow to say what they want.
 */
export class Connections {
  /** Those that have been still for longest come first. */
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

  /** How many were dropped for want of places. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a new connection; drops another one, or this one, when there are too many. */
  accept(socket: Socket): void {
    if (this.#connections.has(socket)) return;
    this.#connections.set(socket, { underWay: new Set(), known: false, isUpgraded: false });
    socket.once("close", () => this.#gone(socket));
    if (this.#connections.size <= this.#max) return;
    this.#dropped += 1;
    this.#dispensable(socket).destroy();
  }

  /** A connection speaks another protocol now. */
  upgraded(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection) connection.isUpgraded = true;
  }

  /** Resolves when there are none, or after so many milliseconds. */
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

  /** What is being served on a connection; undefined for one that is none of these. */
  underWay(socket: Socket): ReadonlySet<ServerResponse> | undefined {
    return this.#connections.get(socket)?.underWay;
  }

  /** Remembers that a request is being served; `then` is called when nothing is being served on the connection any more. */
  track(socket: Socket, response: ServerResponse, then: () => void): void {
    const connection = this.#connections.get(socket);
    connection?.underWay.add(response);
    response.once("close", () => {
      if (!connection) return;
      connection.underWay.delete(response);
      connection.known ||= response.statusCode < 400 && response.writableFinished;
      this.#touch(socket, connection);
      if (connection.underWay.size === 0) then();
    });
  }

  [Symbol.iterator](): Iterator<readonly [Socket, Readonly<Connection>]> {
    return [...this.#connections][Symbol.iterator]();
  }

  #gone(socket: Socket): void {
    this.#connections.delete(socket);
    if (this.#connections.size === 0) this.#onNone();
  }

  #touch(socket: Socket, connection: Connection): void {
    if (!this.#connections.delete(socket)) return;
    this.#connections.set(socket, connection);
  }

  /**
   * The oldest without a request, with an incomplete one, or that waits for the monitor or talks to it: none of these may cost a
   * stop anything. Those without a successful response first.
   */
  #dispensable(newest: Socket): Socket {
    return this.#find((connection) => !connection.known && isSpare(connection)) ?? this.#find(isSpare) ?? newest;
  }

  #find(matches: (connection: Connection) => boolean): Socket | undefined {
    // The last one is the newest.
    let place = 0;
    for (const [socket, connection] of this.#connections) {
      place += 1;
      if (place < this.#connections.size && matches(connection)) return socket;
    }
    return undefined;
  }
}

/** Whether no request of the API is being served on a connection. */
function isSpare({ underWay, isUpgraded }: Connection): boolean {
  return isUpgraded || [...underWay].every((response) => !response.req.complete || isForwarded(response));
}

/** Calls `then` when all responses under way on a connection are written; never if it breaks before. */
export function whenWritten(underWay: ReadonlySet<ServerResponse>, then: () => void): void {
  const last = [...underWay].at(-1);
  if (last) last.once("close", () => whenWritten(underWay, then));
  else then();
}

const FORWARDED = Symbol("forwarded");

interface MarkedResponse extends ServerResponse {
  [FORWARDED]?: true;
}

/** Marks a response that is the monitor backend's to give. */
export function markForwarded(response: MarkedResponse): void {
  response[FORWARDED] = true;
}

/** Whether a response is the monitor backend's to give. */
function isForwarded(response: MarkedResponse): boolean {
  return response[FORWARDED] === true;
}
