/** Requests that an engine's end handles concurrently, unless its host says otherwise, and stops beyond that. */
export const DEFAULT_MAX_IN_FLIGHT = 1_024;
export const DEFAULT_STOP_RESERVE = 64;

/** Bytes that a gateway's end buffers for sending, unless its host says otherwise, and bytes for stops beyond that. */
export const DEFAULT_MAX_BUFFERED_BYTES: number = 8 * 1024 * 1024;
export const STOP_RESERVE_BYTES: number = 1024 * 1024;
