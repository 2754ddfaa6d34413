import { OUTPUT_KINDS } from "../../client/output-kinds.ts";
import { isoTimeOf } from "../../core/values/basics.ts";
import { connect } from "../connection/connect.ts";
import { UsageError } from "../exit-codes.ts";
import type { Options, Run } from "../framework/definition.ts";
import { inputOf } from "../operations/input.ts";
import { reading } from "../operations/read.ts";
import { warnOfForgotten } from "../operations/stopped-by.ts";
import type { Column, Row } from "../output/columns.ts";
import { type Format, formatOf } from "../output/format.ts";
import { type Printed, printRows } from "../output/print.ts";
import { type ListedSession, peerOf, readSessions, type Session, tellFailures, withDetails } from "./session-list.ts";

/** `fix sessions`: those of one gateway, or of all, as far as they can be read. */
export const run: Run = async (invocation) => {
  const { options } = invocation;
  const isOfAll = invocation.arguments.gateway === undefined && options.input === undefined;
  const input = isOfAll ? {} : await inputOf("listFixSessions", invocation);
  const operation = isOfAll ? "listFixGateways" : "listFixSessions";
  const isWanted = filterOf(options);
  const order: Order | undefined = ORDERS[options.sort as keyof typeof ORDERS];
  if (options.curl === true) return (await import("../operations/curl.ts")).printCurl(options, { operation, input });
  const { client } = await connect(options);
  return reading(client, operation, input, async () => {
    const gateway = isOfAll ? undefined : String(input.gateway);
    const { sessions: all, failures } = await readSessions(client, gateway);
    const wanted = all.filter(isWanted);
    const isDetailed = options.details === true || order?.isDetail === true;
    const detailed = isDetailed ? await withDetails(client, wanted) : { sessions: wanted, failures: [] };
    const sessions = order
      ? detailed.sessions.toSorted((first, second) => compared(order.of(first), order.of(second)))
      : detailed.sessions;
    await printRows(printedSessions(sessions, formatOf(options), { isDetailed, isOfAll }), formatOf(options));
    await warnOfForgotten(client, sessions, formatOf(options));
    return tellFailures([...failures, ...detailed.failures]);
  });
};

/** Filter of `--status` and `--peer`. */
function filterOf({ status, peer }: Options): (session: Session) => boolean {
  const isPeer = typeof peer === "string" ? peerFilter(peer) : () => true;
  return (session) => (status === undefined || session.status === status) && isPeer(session);
}

/** Sessions of one address, with or without its port, or of all addresses that begin like `10.30.`. */
function peerFilter(peer: string): (session: Session) => boolean {
  if (peer === "") throw new UsageError("--peer is empty; nothing was sent");
  const isBeginning = /[.:]$/.test(peer);
  return (session) => {
    const whole = peerOf(session) ?? "";
    return isBeginning ? whole.startsWith(peer) : peer === session.remoteIp || peer === whole;
  };
}

interface Order {
  readonly of: (session: ListedSession) => string | number | null | undefined;
  /** Only the details have it. */
  readonly isDetail?: boolean;
}

/** Sort orders of a list. Numbers and times begin with the largest and the latest. */
const ORDERS = {
  session: { of: ({ sessionId }) => sessionId },
  status: { of: ({ status }) => status },
  peer: { of: peerOf },
  inbound: { of: ({ inboundSequence }) => inboundSequence },
  outbound: { of: ({ outboundSequence }) => outboundSequence },
  sender: { of: ({ senderId }) => senderId, isDetail: true },
  target: { of: ({ targetId }) => targetId, isDetail: true },
  connected: { of: ({ connectTimestamp }) => connectTimestamp, isDetail: true },
} satisfies Record<string, Order>;

/** Sessions without a value come last. */
function compared(first: ReturnType<Order["of"]>, second: ReturnType<Order["of"]>): number {
  const [noFirst, noSecond] = [first ?? undefined, second ?? undefined].map((value) => value === undefined);
  if (noFirst || noSecond) return Number(noFirst) - Number(noSecond);
  if (typeof first === "number" && typeof second === "number") return second - first;
  return String(first).localeCompare(String(second), "en", { numeric: true });
}

interface Extent {
  readonly isDetailed: boolean;
  readonly isOfAll: boolean;
}

/** A list of sessions: as the API returns them for programs, and for people what identifies a session, its peer and its state. */
function printedSessions(sessions: readonly ListedSession[], format: Format, extent: Extent): Printed {
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

/** Columns that only details have come first. */
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
