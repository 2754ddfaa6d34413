import type { Socket } from "node:net";

/**
 * Joins two sockets until both are closed: `http-proxy` forgets one when the other has closed. The end of one side is passed on, so that
 * bytes under way in the other direction still arrive. Both are destroyed `timeoutMs` after the first end, or after a side
 * has not read for so long. `closed` is called once, when both are closed.
 */
export function joinSockets(left: Socket, right: Socket, timeoutMs: number, closed: () => void): void {
  const destroy = (): void => {
    left.destroy();
    right.destroy();
  };
  let linger: NodeJS.Timeout | undefined;
  const limit = (): void => {
    linger ??= setTimeout(destroy, timeoutMs);
  };
  const watch = (socket: Socket, other: Socket): void => {
    // A side that waits for the other is not read, so its end would go unnoticed. Idle sides may stay idle.
    socket.setTimeout(timeoutMs);
    socket.on("timeout", () => {
      if (socket.writableNeedDrain) destroy();
    });
    socket.once("end", limit);
    // Whichever side failed, the other one is closed.
    socket.on("error", () => other.destroy());
    socket.once("close", () => {
      if (other.destroyed) {
        clearTimeout(linger);
        closed();
      } else {
        limit();
        // Bytes before the end have still to be delivered.
        other.destroySoon();
      }
    });
    socket.pipe(other);
  };
  watch(left, right);
  watch(right, left);
}
