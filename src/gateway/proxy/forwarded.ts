import type { ServerResponse } from "node:http";

const FORWARDED = Symbol("forwarded");

interface MarkedResponse extends ServerResponse {
  [FORWARDED]?: true;
}

/** Marks an answer that is the monitor backend's to give. */
export function markForwarded(response: MarkedResponse): void {
  response[FORWARDED] = true;
}

/** Whether an answer is the monitor backend's to give. */
export function isForwarded(response: MarkedResponse): boolean {
  return response[FORWARDED] === true;
}
