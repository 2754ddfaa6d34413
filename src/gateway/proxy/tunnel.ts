import type { Socket } from "node:net";

/**
 * Joins two sockets until both are closed, whatever happens to either: `http-proxy` forgets the one when the other is gone.
 * A side that ends is ended on the other side, so that what is under way the other way still arrives. `timeoutMs` after the
 * first end, or when a side has taken nothing for so long, both are destroyed. `closed` is called once when both are closed.
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
    // A side that waits for the other is not read, so it cannot be seen whether it is still there. Quiet ones may be quiet.
    socket.setTimeout(timeoutMs);
    socket.on("timeout", () => {
      if (socket.writableNeedDrain) destroy();
    });
    socket.once("end", limit);
    // Which side failed and why is of no consequence: the other one is closed.
    socket.on("error", () => other.destroy());
    socket.once("close", () => {
      if (other.destroyed) {
        clearTimeout(linger);
        closed();
      } else {
        limit();
        // What came before the end has still to be delivered.
        other.destroySoon();
      }
    });
    socket.pipe(other);
  };
  watch(left, right);
  watch(right, left);
}
