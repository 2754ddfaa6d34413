import { type Clock, monotonicMs } from "../../core/clock.ts";
import { type RejectCause, sessionFieldFault } from "./faults.ts";
import { type FixMessage, REJECT, TAG } from "./message.ts";
import type { Outbox } from "./outbox.ts";
import type { SessionRecord } from "./session-record.ts";

/** How long nothing that was asked for may come before it is asked for again. */
const RESEND_WAIT_MS = 2_000;

/** A request for messages of which none has come yet. */
interface ResendRequest {
  /** A monotonic time. */
  readonly at: number;
  /** Number of the latest message that came in their place. */
  latest: number;
}

/** Which number comes next from the peer, and what it was asked to send again (FIX 4.4, volume 2, "Message Recovery"). */
export class InboundNumbers {
  readonly #record: SessionRecord;
  readonly #outbox: Outbox;
  readonly #clock: Clock;
  /** Undefined from the next message in order on. */
  #request: ResendRequest | undefined;

  constructor(record: SessionRecord, outbox: Outbox, clock: Clock) {
    this.#record = record;
    this.#outbox = outbox;
    this.#clock = clock;
  }

  /** Requests a resend of what was sent before an accepted Logon. */
  logon(message: FixMessage): void {
    this.#request = undefined;
    const sequence = message.number(TAG.MsgSeqNum) ?? 0;
    if (sequence > this.#record.inboundSequence) this.askAgain(sequence);
    else this.advance();
  }

  /** Counts a refused message, if it is the next one. */
  refused(message: FixMessage): void {
    if (message.number(TAG.MsgSeqNum) === this.#record.inboundSequence) this.advance();
  }

  advance(): void {
    this.#expect(this.#record.inboundSequence + 1);
  }

  /** A message whose number is too high has come: asks for everything from the next one on, unless that is about to come. */
  askAgain(sequence: number): void {
    if (this.#isAboutToCome(sequence)) return;
    this.#request = { at: monotonicMs(this.#clock), latest: sequence };
    this.#outbox.sendAdmin("2", [
      [TAG.BeginSeqNo, this.#record.inboundSequence],
      [TAG.EndSeqNo, 0],
    ]);
  }

  /**
   * What was asked for comes in order, behind what was sent before. Numbers that fall show that it has begun and lacks its first messages:
   * they were garbled. Of what was garbled as a whole nothing shows.
   */
  #isAboutToCome(sequence: number): boolean {
    const request = this.#request;
    if (!request || sequence <= request.latest) return false;
    request.latest = sequence;
    return monotonicMs(this.#clock) - request.at < RESEND_WAIT_MS;
  }

  /** Takes a SequenceReset in its reset mode, whatever its own number is, as the peer cannot continue otherwise. */
  reset(message: FixMessage): RejectCause | undefined {
    return sessionFieldFault(message) ?? this.gapFill(message);
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
    this.#request = undefined;
  }
}
