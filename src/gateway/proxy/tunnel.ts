import type { Socket } from "node:net";
import { MONITOR_CALLER } from "../../core/load/caller-queue.ts";
import type { Gate } from "../../core/load/gate.ts";
import { forwardStream } from "./forward-stream.ts";

/** When joined sockets are destroyed, in milliseconds. */
export interface TunnelTimeouts {
  /** After the first of them has ended: bytes in transit in the other direction may still arrive. */
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
  let openSides = 2;
  const sideClosed = (other: Socket, hasFailed: boolean): void => {
    openSides -= 1;
    if (openSides === 0) {
      clearTimeout(linger);
      closed();
    } else {
      limit();
      // Bytes before the end have still to be delivered.
      if (hasFailed) other.destroy();
      else other.destroySoon();
    }
  };
  const watch = (socket: Socket, other: Socket): void => {
    // A side that waits for the other is not read, so its end would go unnoticed. Idle sides may stay idle.
    socket.setTimeout(stallMs);
    socket.on("timeout", () => {
      if (socket.writableNeedDrain) destroy();
    });
    socket.once("end", limit);
    // Its end follows, and says that there was one.
    socket.on("error", () => {});
    // A monitor that ends may close hundreds of tunnels at the same time.
    socket.once("close", (hasFailed) => gate.schedule(MONITOR_CALLER, "other", () => sideClosed(other, hasFailed)));
  };
  watch(caller, monitor);
  watch(monitor, caller);
  // What callers send has had its turn.
  caller.pipe(monitor);
  forwardStream(monitor, caller, gate);
  monitor.once("end", () => caller.end());
}
