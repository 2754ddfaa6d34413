import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Sequences } from "../../core/load/concurrency.ts";
import type { Gate } from "../../core/load/gate.ts";
import { type Filtered, replaceClose } from "./node-internals.ts";

/** How long a closing connection is still read: unread bytes would cost its caller the last response. */
const LINGER_MS = 1_000;

export interface ClosingRules {
  readonly gate: Gate;
  /** Reads of closing connections. */
  readonly discards: Sequences;
}

/** A connection that ends after its pending responses. */
export interface Closing {
  readonly socket: Socket;
  readonly reader: Filtered;
  readonly origin: string;
  readonly inProgress: ReadonlySet<ServerResponse>;
  readonly rules: ClosingRules;
}

/** Ends a connection after its pending responses; what still arrives is discarded for a moment (decision D-LOAD 8). */
export class ClosingConnection {
  readonly #closing: Closing;

  constructor(closing: Closing) {
    this.#closing = closing;
    const { socket, inProgress } = closing;
    replaceClose(socket, () => this.#linger());
    const last = [...inProgress].at(-1);
    if (last && !last.headersSent) last.shouldKeepAlive = false;
  }

  /** Ends it if no response is pending. */
  endIfDone(): void {
    if (this.#closing.inProgress.size === 0) this.#linger();
  }

  /**
   * Discards buffered input. Once no response is pending it keeps draining: one read of all closing connections in a turn, since the kernel needs
   * most of the core to receive it at full speed.
   */
  discard(): void {
    const { reader, origin, inProgress, rules } = this.#closing;
    if (inProgress.size > 0) return;
    void rules.discards.run("", async () => {
      await rules.gate.endOfTurn();
      await rules.gate.reenter(origin);
      reader.read();
    });
  }

  #linger(): void {
    const { socket, reader, origin, rules } = this.#closing;
    socket.end();
    reader.read();
    rules.gate.scheduleAfter(LINGER_MS, origin, "other", () => void socket.destroy());
  }
}
