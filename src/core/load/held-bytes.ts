import { AdminError } from "../errors.ts";
import { UsageByUser } from "./usage-by-user.ts";

/** Bytes that may be held for all users, and for one of them. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_BYTES_OF_USER = MAX_BYTES / 2;

/** What stops may hold beyond: their bodies are small. */
const STOP_RESERVE_BYTES = 4 * 1024 * 1024;

/** Bytes held for callers: bodies that are arriving, responses that are not taken yet. Slow callers must not fill the memory. */
export class HeldBytes {
  readonly #held = new UsageByUser();

  /** Whether a user may hold so many bytes more. */
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

/** The refusal of a request that would have to be held beyond the bounds. */
export function heldTooMuch(what: "bodies" | "responses"): AdminError {
  return new AdminError(
    "ENGINE_OVERLOADED",
    `Too many large ${what} are under way; nothing was sent. Ask for less, or later`,
  );
}
