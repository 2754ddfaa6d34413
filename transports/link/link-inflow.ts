import { type Clock, monotonicMs } from "../../src/core/clock.ts";
import { ENGINE_CALLER } from "../../src/core/load/caller-queue.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import type { Turns } from "../../src/core/load/turns.ts";
import type { ReplyScan } from "../json-rpc/reply-scan.ts";

/**
 * Unsolicited messages: this many in a second are tolerated, and this many more on one connection before it is closed. A healthy engine
 * sends none; one of a broken engine costs microseconds, and as long as the link is there the engine can be halted.
 */
const UNWANTED_PER_SECOND = 2_000;
const MAX_EXCESS = 100_000;

/** Maximum backlog of one link: more requests than are ever in progress, and as many bytes as large replies may have. */
const MAX_WAITING_MESSAGES = 4_096;
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

export interface LinkInflowOptions {
  readonly clock: Clock;
  readonly gate: Gate | undefined;
  /** Whether a stop waits for its reply: the link is not closed meanwhile. */
  readonly isStopWaiting: () => boolean;
  /** The other end sends more than is tolerated: the link is to be closed for this reason, and opened again later. */
  readonly onFlood: (reason: string) => void;
}

/**
 * What arrives over one connection of a link (decision D-LINK 21): it is read at turns of the gate, as much as is tolerated waits, and what nobody
 * asked for is counted.
 */
export class LinkInflow {
  readonly #options: LinkInflowOptions;
  #waitingMessages = 0;
  #waitingBytes = 0;
  /** Unsolicited messages, less those that are tolerated by now; as of a monotonic time. */
  #excess = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #isFlooded = false;

  constructor(options: LinkInflowOptions) {
    this.#options = options;
  }

  /** Whether the other end has sent too much: nothing more of it is read. */
  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  /**
   * Looks a message through at turns and then calls `use`, unless it was dropped, as the link is flooded. Calls it immediately and returns
   * undefined if the message need not wait or there is no gate.
   */
  read(scan: ReplyScan, waits: boolean, use: () => void): Promise<void> | undefined {
    const { gate } = this.#options;
    if (gate && waits) return this.#readInTurns(scan, gate.turns(ENGINE_CALLER), use);
    use();
    return undefined;
  }

  async #readInTurns(scan: ReplyScan, turns: Turns, use: () => void): Promise<void> {
    const { length } = scan.message;
    this.#waitingMessages += 1;
    this.#waitingBytes += length;
    if (this.#waitingMessages > MAX_WAITING_MESSAGES || this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#flooded(`more waits to be read than ${MAX_WAITING_MESSAGES} messages or ${MAX_WAITING_BYTES} bytes`);
    }
    while (!scan.isDone) {
      if (turns.isOver()) await turns.next();
      if (this.#isFlooded) break;
      scan.next();
    }
    this.#waitingMessages -= 1;
    this.#waitingBytes -= length;
    if (!this.#isFlooded) use();
  }

  /** Counts an unsolicited message. */
  unwanted(): void {
    const now = monotonicMs(this.#options.clock);
    const borne = ((now - this.#countedAt) / 1_000) * UNWANTED_PER_SECOND;
    this.#excess = Math.max(0, this.#excess - borne) + 1;
    this.#countedAt = now;
    if (this.#excess <= MAX_EXCESS || this.#options.isStopWaiting()) return;
    this.#flooded(`it sent ${MAX_EXCESS} unsolicited messages, more than ${UNWANTED_PER_SECOND} in a second`);
  }

  #flooded(reason: string): void {
    if (this.#isFlooded) return;
    this.#isFlooded = true;
    this.#options.onFlood(reason);
  }
}
