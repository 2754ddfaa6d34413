import { AdminError } from "../errors.ts";
import { Quota } from "./quota.ts";

const MEGABYTE = 1024 * 1024;

/** Largest request body unless a host says otherwise: its input is checked and recorded in one piece (decision D-LOAD 30). */
export const DEFAULT_MAX_BODY_BYTES: number = 128 * 1024;

/** Additional bytes for stops, which are small. */
export const HELD_FOR_STOPS_BYTES: number = 4 * MEGABYTE;

export const HELD_OF_CALLER_BYTES: number = 32 * MEGABYTE;

/** Guaranteed to each caller: enough for a head or the body of a command, however many callers there are. */
const FLOOR_BYTES = 4 * 1024;

/** Guaranteed to each user who has logged in: the console opens and commands are sent, whatever others do not take. */
export const FLOOR_OF_USER_BYTES: number = 256 * 1024;

/**
 * Makes a quota of bytes in memory, which callers must not exhaust. A server has three: bytes that wait for the parser; large heads of requests
 * in progress; partial bodies and unsent responses.
 */
export function heldBytesQuota(floor: number = FLOOR_BYTES): Quota {
  return new Quota(64 * MEGABYTE, HELD_OF_CALLER_BYTES, floor);
}

/** What a connection or a request holds of such a quota, counted for its caller. */
export class HeldBytes {
  readonly #quota: Quota;
  #caller: string;
  #bytes = 0;

  constructor(quota: Quota, caller: string) {
    this.#quota = quota;
    this.#caller = caller;
  }

  /** Takes more; returns false without room for it, of which some is kept for stops. */
  take(bytes: number, isForStop: () => boolean): boolean {
    const hasRoom = this.#hasRoom(bytes) || (isForStop() && this.#hasRoom(bytes, HELD_FOR_STOPS_BYTES));
    if (hasRoom) this.add(bytes);
    return hasRoom;
  }

  /** Takes more without regard to the limits. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#quota.take(this.#caller, bytes);
  }

  /** Gives back as much, and not more than there is; all unless given. */
  release(bytes: number = this.#bytes): void {
    const released = Math.min(bytes, this.#bytes);
    this.#bytes -= released;
    this.#quota.release(this.#caller, released);
  }

  /** From now on it counts for another caller. */
  countFor(caller: string): void {
    const bytes = this.#bytes;
    this.release();
    this.#caller = caller;
    this.add(bytes);
  }

  #hasRoom(bytes: number, reserve = 0): boolean {
    return this.#quota.hasRoom(this.#caller, bytes, reserve);
  }
}

/** The refusal of a request that exceeds the quota. */
export function memoryLimitExceeded(what: "bodies" | "responses"): AdminError {
  return new AdminError(
    "ENGINE_OVERLOADED",
    `Too many large ${what} are in progress; nothing was sent. Reduce the request or retry later`,
  );
}
