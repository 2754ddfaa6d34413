import { AdminError } from "../errors.ts";
import { Quota } from "./quota.ts";

const MEGABYTE = 1024 * 1024;

/** Additional bytes for stops, whose bodies are small. */
export const STOP_BODY_RESERVE_BYTES: number = 4 * MEGABYTE;

/** Bytes in memory for callers: partial request bodies and unsent responses. Slow callers must not exhaust the memory. */
export function heldBytes(): Quota {
  return new Quota(64 * MEGABYTE, 32 * MEGABYTE);
}

/** The refusal of a request that exceeds the quota. */
export function heldTooMuch(what: "bodies" | "responses"): AdminError {
  return new AdminError(
    "ENGINE_OVERLOADED",
    `Too many large ${what} are under way; nothing was sent. Ask for less, or later`,
  );
}
