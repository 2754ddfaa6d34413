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

/**
 * Makes a quota of bytes in memory, which callers must not exhaust. A server has three: bytes that wait for the parser; large heads of requests
 * in progress; partial bodies and unsent responses.
 */
export function heldBytesQuota(): Quota {
  return new Quota(64 * MEGABYTE, HELD_OF_CALLER_BYTES, FLOOR_BYTES);
}

/** The refusal of a request that exceeds the quota. */
export function memoryLimitExceeded(what: "bodies" | "responses"): AdminError {
  return new AdminError(
    "ENGINE_OVERLOADED",
    `Too many large ${what} are in progress; nothing was sent. Reduce the request or retry later`,
  );
}
