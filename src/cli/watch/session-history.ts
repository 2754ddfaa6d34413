import { isoTimeOf } from "../../core/values/basics.ts";
import { peerOf, type Session, sessionName } from "../fix/session-list.ts";
import { type Change, changesOf } from "./change.ts";

/** State of a session as of the readings so far. */
export interface Watching {
  readonly session: Session;
  /** Epoch milliseconds at which its connection began, where that was read. */
  readonly connectTimestamp: number | null | undefined;
  /** Time of the connection that only its time tells from the one before: same status, same address, same port. */
  readonly reconnected: string | null;
  /** Sequence numbers as they are compared with those of the reading before: the same where they only continued, unless traffic is reported. */
  readonly inbound: number | null;
  readonly outbound: number | null;
  /** Connections that were lost since the watch began, and sequence numbers that fell; null for none. */
  readonly losses: number | null;
  readonly resets: number | null;
  /** When something was last received, as far as the watch has seen: epoch milliseconds. */
  readonly receivedAt: number;
  /** For how long a connected session has sent nothing; null below the threshold. */
  readonly idle: string | null;
}

export interface Look {
  readonly session: Session;
  /** Undefined where it was not read this time. */
  readonly connectTimestamp: number | null | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface Attention {
  /** Every change of a sequence number. */
  readonly traffic: boolean;
  /** A connected session that sends nothing for this long, and each time that this has doubled. */
  readonly idleMs: number;
}

/** Updates the state of a session by one reading. */
export function watching(before: Watching | undefined, look: Look, { traffic, idleMs }: Attention): Watching {
  const { session, at } = look;
  const old = before?.session ?? session;
  const isReset = fell(old, session, "inboundSequence") || fell(old, session, "outboundSequence");
  const connection = connectionThen(before, look);
  const isSilent = !connection.isOther && old.inboundSequence === session.inboundSequence;
  const receivedAt = isSilent && before ? before.receivedAt : at;
  const shown = traffic || isReset ? session : old;
  return {
    session,
    connectTimestamp: connection.timestamp,
    reconnected: connection.reconnected ?? before?.reconnected ?? null,
    inbound: shown.inboundSequence,
    outbound: shown.outboundSequence,
    losses: counted(before?.losses, connection.isOther && old.status === "Connected"),
    resets: counted(before?.resets, isReset),
    receivedAt,
    idle: session.status === "Connected" ? idleWords(at - receivedAt, idleMs) : null,
  };
}

/** The connection of a session, and whether it differs from the one before; having none counts as different. */
interface ConnectionThen {
  readonly timestamp: number | null | undefined;
  readonly isOther: boolean;
  /** Its time, where only that shows that it is a new one. */
  readonly reconnected?: string | null;
}

function connectionThen(before: Watching | undefined, { session, connectTimestamp }: Look): ConnectionThen {
  if (!before) return { timestamp: connectTimestamp, isOther: false };
  const { session: old, connectTimestamp: known } = before;
  if (old.status !== session.status || peerOf(old) !== peerOf(session)) {
    return { timestamp: connectTimestamp, isOther: true };
  }
  // A time that the engine does not show is not a different connection.
  if (!isNumber(known) || !isNumber(connectTimestamp) || known === connectTimestamp) {
    return { timestamp: connectTimestamp ?? known, isOther: false };
  }
  return { timestamp: connectTimestamp, isOther: true, reconnected: isoTimeOf(connectTimestamp) };
}

function fell(old: Session, now: Session, field: "inboundSequence" | "outboundSequence"): boolean {
  const [before, then] = [old[field], now[field]];
  return before !== null && then !== null && then < before;
}

function counted(before: number | null | undefined, happened: boolean): number | null {
  return happened ? (before ?? 0) + 1 : (before ?? null);
}

function isNumber(at: number | null | undefined): at is number {
  return typeof at === "number";
}

/** The threshold, or as often doubled as it was exceeded, so that a session that stays silent is reported less and less often. */
function idleWords(ms: number, threshold: number): string | null {
  if (ms < threshold) return null;
  return `${(threshold * 2 ** Math.floor(Math.log2(ms / threshold))) / 1_000}s`;
}

export function sessionChanges(before: readonly Watching[], now: readonly Watching[]): Change[] {
  const then = before.map((known) => {
    return { ...known, inbound: known.session.inboundSequence, outbound: known.session.outboundSequence };
  });
  return changesOf(then, now, {
    nameOf: ({ session }) => sessionName(session),
    fieldsOf: ({ session, reconnected, inbound, outbound, losses, resets, idle }) => {
      return { status: session.status, peer: peerOf(session), reconnected, inbound, outbound, losses, resets, idle };
    },
  });
}
