import type { Clock } from "../../core/clock.ts";
import type { Steps } from "../../core/load/steps.ts";
import { duplicateFault, identityFault, REJECT, type RejectCause, sessionFieldFault, versionFault } from "./faults.ts";
import { Liveness } from "./liveness.ts";
import { logonRefusal, tooLow } from "./logon.ts";
import { type Field, type FixMessage, TAG } from "./message.ts";
import { Outbox } from "./outbox.ts";
import type { ConnectionAddresses, SessionControl, SessionRecord } from "./session-record.ts";

/** A connection, as its session uses it. */
export interface Link {
  readonly addresses: ConnectionAddresses;
  write(message: Buffer): void;
  /** Ends the connection behind what was written. */
  close(): void;
}

/** Takes the application messages of a session; returns what is wrong with the fields of one. */
export type Application = (message: FixMessage, session: ClientSession) => RejectCause | undefined;

/** How long the peer may take to reply to a Logout. */
const LOGOUT_WAIT_MS = 1_000;

/** Message types of FIX 4.4. */
const MESSAGE_TYPE = /^(?:[0-9A-HJ-NP-TV-Za-z]|A[A-Z]|B[A-H])$/;

interface Ending {
  readonly text: string;
  readonly done: Promise<void>;
  readonly resolve: () => void;
}

/**
 * The session layer of one session whose peer is a FIX client: what FIX 4.4, volume 2, demands of an acceptor. It outlives its
 * connections, and so do its sequence numbers.
 */
export class ClientSession implements SessionControl {
  readonly record: SessionRecord;
  readonly #clock: Clock;
  readonly #application: Application;
  readonly #outbox: Outbox;
  #link: Link | undefined;
  #liveness: Liveness | undefined;
  #ending: Ending | undefined;
  /** Highest number that was seen when messages were asked for again; 0 when none are. */
  #awaitedTo = 0;

  constructor(record: SessionRecord, clock: Clock, application: Application) {
    this.record = record;
    this.#clock = clock;
    this.#application = application;
    this.#outbox = new Outbox(record, (message) => this.#write(message));
  }

  get hasConnection(): boolean {
    return this.#link !== undefined;
  }

  /** Why new orders are refused while the session is being logged out; undefined when it is not. */
  get endingText(): string | undefined {
    return this.#ending?.text;
  }

  /** Sends an application message, or keeps it until the peer is back. */
  send(type: string, fields: readonly Field[]): void {
    this.#outbox.sendApplication(type, fields);
  }

  /** Takes the Logon that a connection begins with; says whether it was accepted. A refused one has been replied to. */
  logon(link: Link, message: FixMessage): boolean {
    this.#link = link;
    this.record.received(message.bytes);
    const refusal = logonRefusal(message, this.record);
    if (refusal !== undefined) {
      if (message.number(TAG.MsgSeqNum) === this.record.inboundSequence) this.record.inboundSequence += 1;
      this.#outbox.sendAdmin("5", [[TAG.Text, refusal]]);
      this.#link = undefined;
      link.close();
      return false;
    }
    this.record.connected(link.addresses);
    this.#acceptLogon(message);
    return true;
  }

  #acceptLogon(message: FixMessage): void {
    const isReset = message.has(TAG.ResetSeqNumFlag);
    if (isReset) this.#beginAnew();
    const heartbeat = message.number(TAG.HeartBtInt) ?? 0;
    this.#liveness?.stop();
    this.#liveness = new Liveness(this.#clock, heartbeat * 1_000, {
      beat: () => this.#outbox.sendAdmin("0"),
      test: () => this.#outbox.sendAdmin("1", [[TAG.TestReqID, "TEST"]]),
      giveUp: () => this.#close(),
    });
    this.#awaitedTo = 0;
    this.#outbox.sendAdmin("A", [
      [TAG.EncryptMethod, 0],
      [TAG.HeartBtInt, heartbeat],
      ...(isReset ? ([[TAG.ResetSeqNumFlag, "Y"]] as const) : []),
    ]);
    const sequence = message.number(TAG.MsgSeqNum) ?? 0;
    if (sequence > this.record.inboundSequence) this.#askAgain(sequence);
    else this.record.inboundSequence += 1;
  }

  #beginAnew(): void {
    this.record.inboundSequence = 1;
    this.record.outboundSequence = 1;
    this.#outbox.clear();
  }

  /** Takes a further message of the connection, in steps. */
  *receive(message: FixMessage): Steps {
    this.record.received(message.bytes);
    this.#liveness?.received();
    const version = versionFault(message);
    if (version !== undefined) return this.#drop(version);
    const identity = identityFault(message, this.record);
    const sequence = message.number(TAG.MsgSeqNum) ?? 0;
    if (identity) return this.#rejectAndLogout(message, identity);
    if (message.type === "A") return this.#logonAgain(message);
    if (message.type === "4" && !message.has(TAG.GapFillFlag)) return this.#reset(message);
    if (sequence > this.record.inboundSequence) yield* this.#tooHigh(message, sequence);
    else if (sequence < this.record.inboundSequence) this.#old(message, sequence);
    else yield* this.#next(message);
  }

  /** Sends a Logout, and waits for the peer's. */
  logout(text: string): Promise<void> {
    if (!this.#link) return Promise.resolve();
    this.#ending ??= this.#beginLogout(text);
    return this.#ending.done;
  }

  /** The connection has ended. */
  lost(link: Link): void {
    if (link !== this.#link) return;
    this.#link = undefined;
    this.#liveness?.stop();
    this.#ending?.resolve();
    this.#ending = undefined;
    this.record.disconnected();
  }

  #beginLogout(text: string): Ending {
    this.#outbox.sendAdmin("5", [[TAG.Text, text]]);
    const cancel = this.#clock.schedule(LOGOUT_WAIT_MS, () => this.#close());
    let resolve = cancel;
    const done = new Promise<void>((settle) => {
      resolve = () => {
        cancel();
        settle();
      };
    });
    return { text, done, resolve };
  }

  #close(): void {
    const link = this.#link;
    if (!link) return;
    link.close();
    this.lost(link);
  }

  /** Says why, and does not wait for a reply. */
  #drop(text: string): void {
    this.#outbox.sendAdmin("5", [[TAG.Text, text]]);
    this.#close();
  }

  #rejectAndLogout(message: FixMessage, fault: RejectCause): void {
    if (message.number(TAG.MsgSeqNum) === this.record.inboundSequence) this.record.inboundSequence += 1;
    this.#reject(message, fault);
    void this.logout(fault.text);
  }

  #reject(message: FixMessage, { reason, tag, text }: RejectCause): void {
    this.#outbox.sendAdmin("3", [
      [TAG.RefSeqNum, message.number(TAG.MsgSeqNum) ?? 0],
      ...(typeof tag === "number" || /^\d+$/.test(tag ?? "") ? ([[TAG.RefTagID, tag ?? ""]] as const) : []),
      [TAG.RefMsgType, message.type],
      [TAG.SessionRejectReason, reason],
      [TAG.Text, text],
    ]);
  }

  /** In the middle of a session a Logon can only begin the numbers anew. */
  #logonAgain(message: FixMessage): void {
    const refusal = logonRefusal(message, this.record);
    if (refusal !== undefined) this.#drop(refusal);
    else if (message.has(TAG.ResetSeqNumFlag)) this.#acceptLogon(message);
    else this.#rejectAndLogout(message, { reason: REJECT.Other, text: "The session is logged on already" });
  }

  /** Whatever its own number is, as the peer cannot continue otherwise. */
  #reset(message: FixMessage): void {
    const fault = sessionFieldFault(message);
    const next = message.number(TAG.NewSeqNo) ?? 0;
    if (fault) this.#reject(message, fault);
    else if (next < this.record.inboundSequence) this.#rejectNewSeqNo(message, next);
    else {
      // What was awaited will not come any more.
      this.#awaitedTo = 0;
      this.#expect(next);
    }
  }

  #rejectNewSeqNo(message: FixMessage, next: number): void {
    const text = `Value is incorrect (out of range) for this tag: attempt to lower the sequence number to ${next}`;
    this.#reject(message, { reason: REJECT.IncorrectValue, tag: TAG.NewSeqNo, text });
  }

  #expect(next: number): void {
    this.record.inboundSequence = next;
    if (next > this.#awaitedTo) this.#awaitedTo = 0;
  }

  *#tooHigh(message: FixMessage, sequence: number): Steps {
    if (message.type === "5") return this.#replyToLogout();
    // First what the peer asks for: otherwise each of the two waits for the other.
    if (message.type === "2" && !sessionFieldFault(message)) yield* this.#resend(message);
    this.#askAgain(sequence);
  }

  #askAgain(sequence: number): void {
    if (this.#awaitedTo > 0) return;
    this.#awaitedTo = sequence;
    this.#outbox.sendAdmin("2", [
      [TAG.BeginSeqNo, this.record.inboundSequence],
      [TAG.EndSeqNo, 0],
    ]);
  }

  #old(message: FixMessage, sequence: number): void {
    const fault = duplicateFault(message);
    if (!message.has(TAG.PossDupFlag)) this.#drop(tooLow(sequence, this.record) ?? "");
    else if (fault?.reason === REJECT.SendingTimeProblem) this.#rejectAndLogout(message, fault);
    else if (fault) this.#reject(message, fault);
  }

  *#next(message: FixMessage): Steps {
    const duplicate = duplicateFault(message);
    if (duplicate?.reason === REJECT.SendingTimeProblem) return this.#rejectAndLogout(message, duplicate);
    this.#expect(this.record.inboundSequence + 1);
    const fault = duplicate ?? sessionFieldFault(message);
    if (fault) return this.#reject(message, fault);
    if (message.type === "2") yield* this.#resend(message);
    else this.#handle(message);
  }

  #handle(message: FixMessage): void {
    switch (message.type) {
      case "0":
      case "3":
      case "j":
        return;
      case "1":
        this.#outbox.sendAdmin("0", [[TAG.TestReqID, message.get(TAG.TestReqID) ?? ""]]);
        return;
      case "4":
        this.#gapFill(message);
        return;
      case "5":
        this.#replyToLogout();
        return;
      default:
        this.#takeApplication(message);
    }
  }

  #takeApplication(message: FixMessage): void {
    const fault = MESSAGE_TYPE.test(message.type)
      ? this.#application(message, this)
      : { reason: REJECT.InvalidMsgType, tag: TAG.MsgType, text: "Invalid MsgType" };
    if (fault) this.#reject(message, fault);
  }

  #gapFill(message: FixMessage): void {
    const next = message.number(TAG.NewSeqNo) ?? 0;
    if (next < this.record.inboundSequence) this.#rejectNewSeqNo(message, next);
    else this.#expect(next);
  }

  #replyToLogout(): void {
    if (!this.#ending) this.#outbox.sendAdmin("5");
    this.#close();
  }

  #resend(message: FixMessage): Steps {
    const last = this.record.outboundSequence - 1;
    const to = message.number(TAG.EndSeqNo) || last;
    return this.#outbox.resend(message.number(TAG.BeginSeqNo) || 1, Math.min(to, last));
  }

  #write(message: Buffer): void {
    if (!this.#link) return;
    this.record.sent(message.length);
    this.#liveness?.sent();
    this.#link.write(message);
  }
}
