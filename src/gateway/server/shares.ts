import type { Socket } from "node:net";
import { isAnonymous } from "../../core/load/caller-queue.ts";

/**
 * Sockets by caller. Where there is no room for one more, the caller with the most makes it. All who have not logged in are one caller
 * beside the users, so that no number of addresses takes a user's place; of those, the address with the most makes room.
 */
export class Shares {
  /** Least recently used first. */
  readonly #callers = new Map<Socket, string>();
  readonly #users = new Map<string, Set<Socket>>();
  readonly #anonymous = new Map<string, Set<Socket>>();
  #anonymousSize = 0;

  get size(): number {
    return this.#callers.size;
  }

  /** All of them, least recently used first. */
  get all(): Iterable<Socket> {
    return this.#callers.keys();
  }

  /** Adds a socket. */
  add(socket: Socket, caller: string): void {
    const callers = this.#like(caller);
    const own = callers.get(caller);
    if (own) own.add(socket);
    else callers.set(caller, new Set([socket]));
    this.#callers.set(socket, caller);
    if (callers === this.#anonymous) this.#anonymousSize += 1;
  }

  /** Notes that a socket is in use, by its latest caller unless it is another's. */
  use(socket: Socket, caller = this.#callers.get(socket)): void {
    if (caller !== undefined && this.remove(socket)) this.add(socket, caller);
  }

  /** False if it was removed before. */
  remove(socket: Socket): boolean {
    const caller = this.#callers.get(socket);
    if (caller === undefined) return false;
    const callers = this.#like(caller);
    const own = callers.get(caller);
    own?.delete(socket);
    if (own?.size === 0) callers.delete(caller);
    if (callers === this.#anonymous) this.#anonymousSize -= 1;
    return this.#callers.delete(socket);
  }

  /** Those of the caller with the most, least recently used first. */
  get largest(): ReadonlySet<Socket> {
    const ofUser = largestOf(this.#users);
    return ofUser.size > this.#anonymousSize ? ofUser : largestOf(this.#anonymous);
  }

  #like(caller: string): Map<string, Set<Socket>> {
    return isAnonymous(caller) ? this.#anonymous : this.#users;
  }
}

function largestOf(callers: ReadonlyMap<string, ReadonlySet<Socket>>): ReadonlySet<Socket> {
  let largest: ReadonlySet<Socket> = new Set();
  for (const own of callers.values()) if (own.size > largest.size) largest = own;
  return largest;
}
