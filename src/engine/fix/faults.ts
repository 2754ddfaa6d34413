import { BEGIN_STRING, type FixMessage, REJECT, TAG } from "./message.ts";
import type { SessionRecord } from "./session-record.ts";

/** A fault that is answered with a Reject (3). */
export interface RejectCause {
  readonly reason: number;
  readonly text: string;
  readonly tag?: number | string;
}

/** A field, and what its value has to look like: text of a form, else a number of a form. */
export interface FieldRule {
  readonly tag: number;
  readonly isOptional?: boolean;
  readonly value?: RegExp;
  readonly format?: RegExp;
}

/** SendingTime may be so far from the time of this machine. */
const MAX_CLOCK_DIFFERENCE_MS = 120_000;

/** Longest interval of heartbeats that a Logon may ask for. */
const MAX_HEARTBEAT_S = 3_600;

const WHOLE_NUMBER = /^\d{1,9}$/;

/** Fields that are read of the messages of the session layer. */
const SESSION_FIELDS: Readonly<Record<string, readonly FieldRule[]>> = {
  "1": [{ tag: TAG.TestReqID }],
  "2": [
    { tag: TAG.BeginSeqNo, format: WHOLE_NUMBER },
    { tag: TAG.EndSeqNo, format: WHOLE_NUMBER },
  ],
  "4": [{ tag: TAG.NewSeqNo, format: WHOLE_NUMBER }],
  A: [
    { tag: TAG.EncryptMethod, value: /^0$/ },
    { tag: TAG.HeartBtInt, format: WHOLE_NUMBER },
  ],
};

/** A fault in the fields of a message that are read: missing, more than once, of another form. */
export function fieldFault(message: FixMessage, rules: readonly FieldRule[]): RejectCause | undefined {
  if (message.fault) return message.fault;
  for (const { tag, isOptional, value: allowed, format } of rules) {
    const value = message.get(tag);
    if (value === undefined) {
      if (!isOptional) return { reason: REJECT.RequiredTagMissing, tag, text: "Required tag missing" };
    } else if (message.isRepeated(tag)) {
      return { reason: REJECT.TagRepeated, tag, text: "Tag appears more than once" };
    } else if (allowed?.test(value) === false) {
      return { reason: REJECT.IncorrectValue, tag, text: "Value is incorrect (out of range) for this tag" };
    } else if (format?.test(value) === false) {
      return { reason: REJECT.IncorrectFormat, tag, text: "Incorrect data format for value" };
    }
  }
  return undefined;
}

export function sessionFieldFault(message: FixMessage): RejectCause | undefined {
  return fieldFault(message, SESSION_FIELDS[message.type] ?? []);
}

/** A field of the header that is missing: whose the message is, and of when, cannot be judged without. */
export function headerFault(message: FixMessage): RejectCause | undefined {
  const tag = [TAG.SenderCompID, TAG.TargetCompID, TAG.SendingTime].find((needed) => message.get(needed) === undefined);
  if (tag === undefined) return undefined;
  const isEmpty = message.fault?.tag === String(tag);
  return isEmpty ? message.fault : { reason: REJECT.RequiredTagMissing, tag, text: "Required tag missing" };
}

/** A fault after which the session is logged out: the message may be of somebody else, or of another time. */
export function identityFault(message: FixMessage, { senderId, targetId }: SessionRecord): RejectCause | undefined {
  const pairs = [
    [TAG.SenderCompID, targetId],
    [TAG.TargetCompID, senderId],
  ] as const;
  for (const [tag, expected] of pairs) {
    if (message.get(tag) !== expected) return { reason: REJECT.CompIdProblem, tag, text: "CompID problem" };
  }
  const sendingTime = message.time(TAG.SendingTime);
  if (sendingTime !== undefined && Math.abs(Date.now() - sendingTime) <= MAX_CLOCK_DIFFERENCE_MS) return undefined;
  return { reason: REJECT.SendingTimeProblem, tag: TAG.SendingTime, text: "SendingTime accuracy problem" };
}

/** A fault of a possible duplicate: it has to say when it was sent first. */
export function duplicateFault(message: FixMessage): RejectCause | undefined {
  // A gap fill is sent for the first time.
  if (!message.has(TAG.PossDupFlag) || message.type === "4") return undefined;
  const tag = TAG.OrigSendingTime;
  const first = message.time(tag);
  if (first === undefined) return { reason: REJECT.RequiredTagMissing, tag, text: "Required tag missing" };
  if (first <= (message.time(TAG.SendingTime) ?? 0)) return undefined;
  return { reason: REJECT.SendingTimeProblem, tag, text: "SendingTime accuracy problem" };
}

/** Why a Logon is refused, for the Text of a Logout; undefined when it is accepted. */
export function logonRefusal(message: FixMessage, record: SessionRecord): string | undefined {
  const version = versionFault(message);
  if (version !== undefined) return version;
  const fault = identityFault(message, record) ?? sessionFieldFault(message);
  if (fault) return `${fault.text}: ${fault.tag}`;
  if (record.isDisabled) return "The session is disabled";
  const heartbeat = message.number(TAG.HeartBtInt) ?? 0;
  if (heartbeat > MAX_HEARTBEAT_S) return `HeartBtInt must be 0 to ${MAX_HEARTBEAT_S} seconds, is ${heartbeat}`;
  const sequence = message.number(TAG.MsgSeqNum) ?? 0;
  if (!message.has(TAG.ResetSeqNumFlag)) return tooLow(sequence, record);
  return sequence === 1 ? undefined : "MsgSeqNum must be 1 with ResetSeqNumFlag";
}

/** Text of a Logout when numbers have been used already; undefined when they have not. */
export function tooLow(sequence: number, { inboundSequence }: SessionRecord): string | undefined {
  if (sequence >= inboundSequence) return undefined;
  return `MsgSeqNum too low, expecting ${inboundSequence} but received ${sequence}`;
}

/** Text of a Logout after which the connection is dropped; undefined when the message is of this version and has a number. */
export function versionFault(message: FixMessage): string | undefined {
  const version = message.get(TAG.BeginString);
  if (version !== BEGIN_STRING) return `Incorrect BeginString: ${BEGIN_STRING} is expected, ${version} was received`;
  return message.number(TAG.MsgSeqNum) === undefined ? "MsgSeqNum missing" : undefined;
}
