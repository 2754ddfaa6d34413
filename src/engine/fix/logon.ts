import { identityFault, sessionFieldFault, versionFault } from "./faults.ts";
import { type FixMessage, TAG } from "./message.ts";
import type { SessionRecord } from "./session-record.ts";

const MAX_HEARTBEAT_S = 3_600;

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
