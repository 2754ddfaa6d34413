import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { onIdentified } from "../../http/guard/request.ts";
import { Shares } from "./shares.ts";

interface Connection {
  /** In the order of the requests. */
  readonly inProgress: Set<ServerResponse>;
  /** Those of a user's commands among them. */
  readonly commands: Set<ServerResponse>;
  /** It has switched to another protocol. */
  isUpgraded: boolean;
}

/**
 * The connections of a server. At the limit, a new connection replaces another: nobody, whatever his own are busy with, must lock out a
 * caller who wants to stop trading.
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();
  readonly #shares = new Shares();
  readonly #max: number;
  readonly #callerAt: (socket: Socket) => string;
  #dropped = 0;
  #onNone = (): void => {};

  /** `callerAt` names a connection until a user has logged in over it. */
  constructor(max: number, callerAt: (socket: Socket) => string) {
    this.#max = max;
    this.#callerAt = callerAt;
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
    this.#connections.set(socket, { inProgress: new Set(), commands: new Set(), isUpgraded: false });
    this.#shares.add(socket, this.#callerAt(socket));
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
  track(socket: Socket, response: ServerResponse, then: () => void): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    const { inProgress, commands } = connection;
    inProgress.add(response);
    this.#shares.use(socket);
    onIdentified(response.req, (user, isCommand) => {
      this.#shares.use(socket, user ?? this.#callerAt(socket));
      if (user !== undefined && isCommand) commands.add(response);
    });
    response.once("close", () => {
      inProgress.delete(response);
      commands.delete(response);
      this.#shares.use(socket);
      if (inProgress.size === 0) then();
    });
  }

  [Symbol.iterator](): Iterator<readonly [Socket, Readonly<Connection>]> {
    return [...this.#connections][Symbol.iterator]();
  }

  #gone(socket: Socket): void {
    this.#connections.delete(socket);
    this.#shares.remove(socket);
    if (this.#connections.size === 0) this.#onNone();
  }

  /** Of the caller with the most, the least recently used one; where that has none, of all. Commands are completed. */
  #dispensable(newest: Socket): Socket {
    for (const sockets of [this.#shares.largest, this.#shares.all]) {
      for (const socket of sockets) if (socket !== newest && !this.#isCommanding(socket)) return socket;
    }
    return newest;
  }

  /** Whether the caller would not learn the outcome of a command. A response that has been written is the caller's to take. */
  #isCommanding(socket: Socket): boolean {
    const commands = this.#connections.get(socket)?.commands ?? [];
    return [...commands].some(({ req, writableEnded }) => req.complete && !writableEnded);
  }
}

/** Calls `then` when all pending responses of a connection are written; never if it is lost first. */
export function whenWritten(inProgress: ReadonlySet<ServerResponse>, then: () => void): void {
  const last = [...inProgress].at(-1);
  if (last) last.once("close", () => whenWritten(inProgress, then));
  else then();
}
