import { AdminError } from "../errors.ts";
import { UsageByUser } from "./usage-by-user.ts";

/** Quota of bytes in memory, in total and per user. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_BYTES_OF_USER = MAX_BYTES / 2;

/** Additional quota for stops, whose bodies are small. */
const STOP_RESERVE_BYTES = 4 * 1024 * 1024;

/** Bytes in memory for callers: partial request bodies and unsent responses. Slow callers must not exhaust the memory. */
export class HeldBytes {
  readonly #held = new UsageByUser();

  /** Whether the quota allows more bytes for a user. */
  hasRoom(user: string, bytes: number, isStop = false): boolean {
    const reserve = isStop ? STOP_RESERVE_BYTES : 0;
    return (
      this.#held.total + bytes <= MAX_BYTES + reserve && this.#held.of(user) + bytes <= MAX_BYTES_OF_USER + reserve
    );
  }

  hold(user: string, bytes: number): void {
    this.#held.add(user, bytes);
  }

  release(user: string, bytes: number): void {
    this.#held.remove(user, bytes);
  }
}

/** The refusal of a request that exceeds the quota. */
export function heldTooMuch(what: "bodies" | "responses"): AdminError {
  return new AdminError(
    "ENGINE_OVERLOADED",
    `Too many large ${what} are under way; nothing was sent. Ask for less, or later`,
  );
}
