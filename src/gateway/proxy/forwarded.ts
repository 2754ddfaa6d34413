import type { ServerResponse } from "node:http";

const FORWARDED = Symbol("forwarded");

interface MarkedResponse extends ServerResponse {
  [FORWARDED]?: true;
}

/** Marks a response that is the monitor backend's to give. */
export function markForwarded(response: MarkedResponse): void {
  response[FORWARDED] = true;
}

/** Whether a response is the monitor backend's to give. */
export function isForwarded(response: MarkedResponse): boolean {
  return response[FORWARDED] === true;
}
