import type { IncomingMessage } from "node:http";

/** How much of a body that is not needed is read, and for how long. */
const MOST_BYTES = 64 * 1024 * 1024;
const LONGEST_MS = 5_000;

/** Whether a request has a body of which something is still to come, or was not looked at yet. */
export function hasUnreadBody({ complete, rawHeaders }: IncomingMessage): boolean {
  if (complete) return false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 14 && name.toLowerCase() === "content-length") return rawHeaders[index + 1] !== "0";
    if (name.length === 17 && name.toLowerCase() === "transfer-encoding") return true;
  }
  return false;
}

/**
 * Reads what is left of a request and discards it; `done` is called once, with whether the request was complete. To close a
 * connection on which a client is still sending resets it, and the client may lose the response (RFC 9112 section 9.6).
 */
export function discardRest(request: IncomingMessage, done: (complete: boolean) => void): void {
  let size = 0;
  const count = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > MOST_BYTES) finish();
  };
  const finish = (): void => {
    clearTimeout(timer);
    request.off("data", count).off("end", finish).off("close", finish);
    done(request.complete);
  };
  const timer = setTimeout(finish, LONGEST_MS);
  request.on("data", count).once("end", finish).once("close", finish);
}
