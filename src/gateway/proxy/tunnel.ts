import type { Socket } from "node:net";
import type { Gate } from "../../core/load/gate.ts";
import { handOn } from "./hand-on.ts";

/** When joined sockets are destroyed, in milliseconds. */
export interface TunnelTimeouts {
  /** After the first of them has ended: bytes under way in the other direction may still arrive. */
  readonly lingerMs: number;
  /** While one does not read what the other sends. */
  readonly stallMs: number;
}

/**
 * Joins the sockets of a caller and of the monitor until both are closed: `http-proxy` forgets one when the other has closed. The end of
 * one side is passed on. `closed` is called once, when both are closed.
 */
export function joinSockets(
  caller: Socket,
  monitor: Socket,
  gate: Gate,
  timeouts: TunnelTimeouts,
  closed: () => void,
): void {
  const { lingerMs, stallMs } = timeouts;
  const destroy = (): void => {
    caller.destroy();
    monitor.destroy();
  };
  let linger: NodeJS.Timeout | undefined;
  const limit = (): void => {
    linger ??= setTimeout(destroy, lingerMs);
  };
  const watch = (socket: Socket, other: Socket): void => {
    // A side that waits for the other is not read, so its end would go unnoticed. Idle sides may stay idle.
    socket.setTimeout(stallMs);
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
  };
  watch(caller, monitor);
  watch(monitor, caller);
  // What callers send has had its turn.
  caller.pipe(monitor);
  handOn(monitor, caller, gate);
  monitor.once("end", () => caller.end());
}
