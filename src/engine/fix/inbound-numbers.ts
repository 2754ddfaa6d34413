import { type RejectCause, sessionFieldFault } from "./faults.ts";
import { type FixMessage, REJECT, TAG } from "./message.ts";
import type { Outbox } from "./outbox.ts";
import type { SessionRecord } from "./session-record.ts";

/** Which number comes next from the peer, and what it was asked to send again (FIX 4.4, volume 2, "Message Recovery"). */
export class InboundNumbers {
  readonly #record: SessionRecord;
  readonly #outbox: Outbox;
  /** Highest number that was seen when messages were asked for again; 0 when none are. */
  #awaitedTo = 0;

  constructor(record: SessionRecord, outbox: Outbox) {
    this.#record = record;
    this.#outbox = outbox;
  }

  /** What was sent before an accepted Logon is asked for again. */
  logon(message: FixMessage): void {
    this.#awaitedTo = 0;
    const sequence = message.number(TAG.MsgSeqNum) ?? 0;
    if (sequence > this.#record.inboundSequence) this.askAgain(sequence);
    else this.#record.inboundSequence += 1;
  }

  /** Counts a refused message, if it is the next one. */
  refused(message: FixMessage): void {
    if (message.number(TAG.MsgSeqNum) === this.#record.inboundSequence) this.#record.inboundSequence += 1;
  }

  /** Counts the next message. */
  advance(): void {
    this.#expect(this.#record.inboundSequence + 1);
  }

  /** Asks for everything from the next message on, unless that is under request already; `sequence` has been seen. */
  askAgain(sequence: number): void {
    if (this.#awaitedTo > 0) return;
    this.#awaitedTo = sequence;
    this.#outbox.sendAdmin("2", [
      [TAG.BeginSeqNo, this.#record.inboundSequence],
      [TAG.EndSeqNo, 0],
    ]);
  }

  /** Takes a SequenceReset in its reset mode, whatever its own number is, as the peer cannot continue otherwise. */
  reset(message: FixMessage): RejectCause | undefined {
    const fault = sessionFieldFault(message) ?? this.gapFill(message);
    // What was awaited will not come any more.
    if (!fault) this.#awaitedTo = 0;
    return fault;
  }

  /** Takes a SequenceReset that fills a gap. */
  gapFill(message: FixMessage): RejectCause | undefined {
    const next = message.number(TAG.NewSeqNo) ?? 0;
    if (next >= this.#record.inboundSequence) {
      this.#expect(next);
      return undefined;
    }
    const text = `Value is incorrect (out of range) for this tag: attempt to lower the sequence number to ${next}`;
    return { reason: REJECT.IncorrectValue, tag: TAG.NewSeqNo, text };
  }

  #expect(next: number): void {
    this.#record.inboundSequence = next;
    if (next > this.#awaitedTo) this.#awaitedTo = 0;
  }
}
