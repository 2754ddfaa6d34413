import type { Clock } from "../../core/clock.ts";
import {
  duplicateFault,
  headerFault,
  identityFault,
  logonRefusal,
  type RejectCause,
  sessionFieldFault,
  tooLow,
  versionFault,
} from "./faults.ts";
import { InboundNumbers } from "./inbound-numbers.ts";
import { Liveness } from "./liveness.ts";
import { type Field, type FixMessage, REJECT, TAG } from "./message.ts";
import { type DueMessage, Outbox } from "./outbox.ts";
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

/** Message types of FIX 4.4; those that begin with U are agreed on by the two ends. */
const MESSAGE_TYPE = /^(?:[0-9A-HJ-NP-TV-Za-z]|A[A-Z]|B[A-H]|U.+)$/;

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
  readonly #inbound: InboundNumbers;
  #link: Link | undefined;
  #liveness: Liveness | undefined;
  #ending: Ending | undefined;
  /** Unsent replies to the latest message. */
  #due: DueMessage[] = [];

  constructor(record: SessionRecord, clock: Clock, application: Application) {
    this.record = record;
    this.#clock = clock;
    this.#application = application;
    this.#outbox = new Outbox(record, (message) => this.#write(message));
    this.#inbound = new InboundNumbers(record, this.#outbox, clock);
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
      this.#inbound.refused(message);
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
    this.#outbox.sendAdmin("A", [
      [TAG.EncryptMethod, 0],
      [TAG.HeartBtInt, heartbeat],
      ...(isReset ? ([[TAG.ResetSeqNumFlag, "Y"]] as const) : []),
    ]);
    this.#inbound.logon(message);
  }

  #beginAnew(): void {
    this.record.inboundSequence = 1;
    this.record.outboundSequence = 1;
    this.#outbox.clear();
  }

  /** Takes a further message of the connection; what {@link sendDue} sends comes before the next one. */
  receive(message: FixMessage): void {
    this.record.received(message.bytes);
    this.#liveness?.received();
    const version = versionFault(message);
    const header = headerFault(message);
    const identity = identityFault(message, this.record);
    if (version !== undefined) this.#drop(version);
    else if (header) this.#refuse(message, header);
    else if (identity) this.#rejectAndLogout(message, identity);
    else if (message.type === "A") this.#logonAgain(message);
    else if (message.type === "4" && !message.has(TAG.GapFillFlag))
      this.#rejectIf(message, this.#inbound.reset(message));
    else this.#takeInOrder(message, message.number(TAG.MsgSeqNum) ?? 0);
  }

  /** Sends one message of a reply that may be long; false when there is none. */
  sendDue(): boolean {
    const send = this.#due.shift();
    send?.();
    return send !== undefined;
  }

  /** Sends a Logout, and waits for the peer's. */
  logout(text: string): Promise<void> {
    if (!this.#link) return Promise.resolve();
    this.#ending ??= this.#beginLogout(text);
    return this.#ending.done;
  }

  lost(link: Link): void {
    if (link !== this.#link) return;
    this.#link = undefined;
    this.#due = [];
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

  /** Rejects a message that is not taken, whatever it says; it is counted all the same. */
  #refuse(message: FixMessage, fault: RejectCause): void {
    this.#inbound.refused(message);
    this.#outbox.reject(message, fault);
  }

  #rejectAndLogout(message: FixMessage, fault: RejectCause): void {
    this.#refuse(message, fault);
    void this.logout(fault.text);
  }

  #rejectIf(message: FixMessage, fault: RejectCause | undefined): void {
    if (fault) this.#outbox.reject(message, fault);
  }

  /** In the middle of a session a Logon can only begin the numbers anew. */
  #logonAgain(message: FixMessage): void {
    const refusal = logonRefusal(message, this.record);
    if (refusal !== undefined) this.#drop(refusal);
    else if (message.has(TAG.ResetSeqNumFlag)) this.#acceptLogon(message);
    else this.#rejectAndLogout(message, { reason: REJECT.Other, text: "The session is logged on already" });
  }

  #takeInOrder(message: FixMessage, sequence: number): void {
    const expected = this.record.inboundSequence;
    if (sequence < expected) this.#old(message, sequence);
    else if (sequence === expected) this.#next(message);
    else if (message.type === "5") this.#replyToLogout();
    else this.#tooHigh(message, sequence);
  }

  #tooHigh(message: FixMessage, sequence: number): void {
    // First what the peer asks for: otherwise each of the two waits for the other.
    if (message.type === "2" && !sessionFieldFault(message)) this.#resend(message);
    this.#due.push(() => this.#inbound.askAgain(sequence));
  }

  #old(message: FixMessage, sequence: number): void {
    const fault = duplicateFault(message);
    if (!message.has(TAG.PossDupFlag)) this.#drop(tooLow(sequence, this.record) ?? "");
    else if (fault?.reason === REJECT.SendingTimeProblem) this.#rejectAndLogout(message, fault);
    else this.#rejectIf(message, fault);
  }

  #next(message: FixMessage): void {
    const duplicate = duplicateFault(message);
    if (duplicate?.reason === REJECT.SendingTimeProblem) {
      this.#rejectAndLogout(message, duplicate);
      return;
    }
    this.#inbound.advance();
    const fault = duplicate ?? sessionFieldFault(message);
    if (fault) this.#outbox.reject(message, fault);
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
      case "2":
        this.#resend(message);
        return;
      case "4":
        this.#rejectIf(message, this.#inbound.gapFill(message));
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
    this.#rejectIf(message, fault);
  }

  #replyToLogout(): void {
    if (!this.#ending) this.#outbox.sendAdmin("5");
    this.#close();
  }

  #resend(message: FixMessage): void {
    const last = this.record.outboundSequence - 1;
    const to = message.number(TAG.EndSeqNo) || last;
    this.#due = this.#outbox.resend(message.number(TAG.BeginSeqNo) || 1, Math.min(to, last));
  }

  #write(message: Buffer): void {
    if (!this.#link) return;
    this.record.sent(message.length);
    this.#liveness?.sent();
    this.#link.write(message);
  }
}
