import { BoundedMap } from "../../core/values/bounded-map.ts";
import type { RejectCause } from "./faults.ts";
import { encodeFields, type Field, type FixMessage, frame, TAG, utcTimestamp } from "./message.ts";
import type { SessionRecord } from "./session-record.ts";

/** Application messages of a session that can be sent again; earlier ones are gap-filled. */
const KEPT_MESSAGES = 1_000;

interface Kept {
  readonly type: string;
  /** Fields of the body, printed. */
  readonly body: string;
  readonly sendingTime: string;
}

/** Header values of a message that is sent again. */
interface Again {
  readonly sequence: number;
  readonly origSendingTime: string;
}

export type DueMessage = () => void;

/**
 * Numbers what a session sends, and keeps application messages for resend requests. What is sent without a connection has its number
 * and waits there: the peer asks for it when it is back.
 */
export class Outbox {
  readonly #record: SessionRecord;
  readonly #write: (message: Buffer) => void;
  readonly #kept = new BoundedMap<number, Kept>(KEPT_MESSAGES);

  /** `write` sends over the connection, if there is one. */
  constructor(record: SessionRecord, write: (message: Buffer) => void) {
    this.#record = record;
    this.#write = write;
  }

  /** Sends a message of the session layer. */
  sendAdmin(type: string, fields: readonly Field[] = []): void {
    this.#print(type, encodeFields(fields), utcTimestamp(Date.now()));
    this.#record.outboundSequence += 1;
  }

  reject(message: FixMessage, { reason, tag, text }: RejectCause): void {
    this.sendAdmin("3", [
      [TAG.RefSeqNum, message.number(TAG.MsgSeqNum) ?? 0],
      ...(typeof tag === "number" || /^\d+$/.test(tag ?? "") ? ([[TAG.RefTagID, tag ?? ""]] as const) : []),
      [TAG.RefMsgType, message.type],
      [TAG.SessionRejectReason, reason],
      [TAG.Text, text],
    ]);
  }

  /** Sends an application message, and keeps it. */
  sendApplication(type: string, fields: readonly Field[]): void {
    const kept = { type, body: encodeFields(fields), sendingTime: utcTimestamp(Date.now()) };
    this.#kept.set(this.#record.outboundSequence, kept);
    this.#print(type, kept.body, kept.sendingTime);
    this.#record.outboundSequence += 1;
  }

  /** Resends the numbers `from` to `to` as possible duplicates, with gap fills where nothing is kept. */
  resend(from: number, to: number): DueMessage[] {
    const sends: DueMessage[] = [];
    let next = from;
    for (const [sequence, kept] of this.#kept) {
      if (sequence < from || sequence > to) continue;
      if (sequence > next) sends.push(this.#gapFill(next, sequence));
      sends.push(() => this.#printAgain(sequence, kept));
      next = sequence + 1;
    }
    if (next <= to) sends.push(this.#gapFill(next, to + 1));
    return sends;
  }

  /** Forgets all messages: numbers begin anew. */
  clear(): void {
    this.#kept.clear();
  }

  #gapFill(sequence: number, newSequence: number): DueMessage {
    const body = encodeFields([
      [TAG.GapFillFlag, "Y"],
      [TAG.NewSeqNo, newSequence],
    ]);
    return () => this.#printAgain(sequence, { type: "4", body, sendingTime: utcTimestamp(Date.now()) });
  }

  #printAgain(sequence: number, { type, body, sendingTime }: Kept): void {
    this.#print(type, body, utcTimestamp(Date.now()), { sequence, origSendingTime: sendingTime });
  }

  /** Times are the machine's: the peer compares them with its own, also where the clock of the engine is held. */
  #print(type: string, body: string, sendingTime: string, again?: Again): void {
    const { senderId, targetId, outboundSequence } = this.#record;
    const header: Field[] = [
      [TAG.MsgType, type],
      [TAG.SenderCompID, senderId],
      [TAG.TargetCompID, targetId],
      [TAG.MsgSeqNum, again?.sequence ?? outboundSequence],
      ...(again ? ([[TAG.PossDupFlag, "Y"]] as const) : []),
      [TAG.SendingTime, sendingTime],
      ...(again ? ([[TAG.OrigSendingTime, again.origSendingTime]] as const) : []),
    ];
    this.#write(frame(encodeFields(header) + body));
  }
}
