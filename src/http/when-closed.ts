import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Of each connection, what is called when it closes. */
const atClose = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `then` once the response is closed, whether all of it was written or not. When a connection closes, Node says so of the response that
 * it was sending, but not of pipelined ones behind it.
 */
export function whenClosed({ socket }: IncomingMessage, response: ServerResponse, then: () => void): void {
  if (response.destroyed || socket.destroyed) {
    then();
    return;
  }
  const pending = pendingOf(socket);
  const end = (): void => {
    if (pending.delete(end)) then();
  };
  pending.add(end);
  response.once("close", end);
}

function pendingOf(socket: Socket): Set<() => void> {
  const known = atClose.get(socket);
  if (known) return known;
  const pending = new Set<() => void>();
  atClose.set(socket, pending);
  socket.once("close", () => {
    for (const end of pending) end();
  });
  return pending;
}
