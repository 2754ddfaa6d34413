import { OUTPUT_KINDS } from "../operations/output-kinds.ts";
import { type Column, isoTimeOf, type Row } from "../output/columns.ts";
import type { Format } from "../output/format.ts";
import type { Printed } from "../output/print.ts";
import { type ListedSession, peerOf } from "./session-list.ts";

/** What is in a list of sessions. */
interface Extent {
  /** Details were asked for. */
  readonly isDetailed: boolean;
  /** Sessions of all gateways. */
  readonly isOfAll: boolean;
}

/** A list of sessions: as the API returns them for programs, and for people what identifies a session, its peer and its state. */
export function printedSessions(sessions: readonly ListedSession[], format: Format, extent: Extent): Printed {
  if (format === "csv") return { value: sessions, rows: sessions, columns: apiColumns(extent) };
  const columns = [...(extent.isOfAll ? [GATEWAY] : []), ...(extent.isDetailed ? DETAILED : LISTED)];
  const isWide = format === "wide";
  const rows = sessions.map((session) => {
    // Of the peer of a session with its details the port matters least, and 80 columns are few.
    return isWide || !extent.isDetailed ? rowOf(session, isWide) : { ...rowOf(session, false), peer: session.remoteIp };
  });
  return { value: sessions, rows, columns };
}

function apiColumns({ isDetailed }: Extent): Column[] {
  const kinds = OUTPUT_KINDS[isDetailed ? "getFixSession" : "listFixSessions"];
  return Object.entries(kinds).map(([name, kind]) => ({ name, kind }));
}

const text = (name: string): Column => ({ name, kind: "text" });
const number = (name: string): Column => ({ name, kind: "integer" });

const GATEWAY = text("gateway");
const SEQUENCES = [number("in seq"), number("out seq")];
const LISTED = [text("session"), text("status"), text("peer"), ...SEQUENCES, number("local port")];

/** What the list alone does not show comes first. */
const DETAILED = [
  ...["session", "status", "sender", "target", "connected", "peer"].map(text),
  ...SEQUENCES,
  text("disconnected"),
  ...["messages in", "messages out", "bytes in", "bytes out", "local port"].map(number),
  text("local ip"),
];

function rowOf(session: ListedSession, isWide: boolean): Row {
  const time = isWide ? isoOrNone : shortTime;
  return {
    gateway: session.gatewayName,
    session: session.sessionId,
    status: session.status,
    sender: session.senderId,
    target: session.targetId,
    connected: time(session.connectTimestamp),
    disconnected: time(session.disconnectTimestamp),
    peer: peerOf(session),
    "in seq": session.inboundSequence,
    "out seq": session.outboundSequence,
    "messages in": session.messagesReceived,
    "messages out": session.messagesSent,
    "bytes in": session.bytesReceived,
    "bytes out": session.bytesSent,
    "local port": session.localPort,
    "local ip": session.localIp,
  };
}

type Time = number | null | undefined;

function isoOrNone(at: Time): string | null {
  return typeof at === "number" ? isoTimeOf(at) : null;
}

const DATE_LENGTH = "2026-01-05".length;

/** UTC: the time of a moment of today, the date of an earlier one. */
function shortTime(at: Time): string | null {
  const iso = isoOrNone(at);
  if (iso === null) return null;
  const isToday = iso.slice(0, DATE_LENGTH) === new Date().toISOString().slice(0, DATE_LENGTH);
  return isToday ? `${iso.slice(DATE_LENGTH + 1, -".000Z".length)}Z` : iso.slice(0, DATE_LENGTH);
}
