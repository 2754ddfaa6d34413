import { connect } from "../connection/connect.ts";
import { UsageError } from "../exit-codes.ts";
import type { Options, Run } from "../framework/definition.ts";
import { inputOf } from "../operations/input.ts";
import { reading } from "../operations/read.ts";
import { formatOf } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { type ListedSession, peerOf, readSessions, type Session, tellFailures, withDetails } from "./session-list.ts";
import { printedSessions } from "./session-table.ts";

/** `fix sessions`: those of one gateway, or of all, as far as they can be read. */
export const run: Run = async (invocation) => {
  const { options } = invocation;
  const isOfAll = invocation.arguments.gateway === undefined && options.input === undefined;
  const input = isOfAll ? {} : await inputOf("listFixSessions", invocation);
  const operation = isOfAll ? "listFixGateways" : "listFixSessions";
  const [isWanted, order] = [filterOf(options), orderOf(options)];
  if (options.curl === true) return (await import("../operations/curl.ts")).printCurl(options, operation, input);
  const { client } = await connect(options);
  return reading(client, operation, input, async () => {
    const gateway = isOfAll ? undefined : String(input.gateway);
    const { sessions: all, failures } = await readSessions(client, gateway);
    const wanted = all.filter(isWanted);
    const isDetailed = options.details === true || order?.isDetail === true;
    const detailed = isDetailed ? await withDetails(client, wanted) : { sessions: wanted, failures: [] };
    const sessions = order ? sorted(detailed.sessions, order) : detailed.sessions;
    await printRows(printedSessions(sessions, formatOf(options), { isDetailed, isOfAll }), formatOf(options));
    return tellFailures([...failures, ...detailed.failures]);
  });
};

/** What `--status` and `--peer` leave of a list. */
function filterOf({ status, peer }: Options): (session: Session) => boolean {
  const isPeer = typeof peer === "string" ? peerFilter(peer) : () => true;
  return (session) => (status === undefined || session.status === status) && isPeer(session);
}

/** Sessions of one address, with or without its port, or of all addresses that begin like `10.30.`. */
function peerFilter(peer: string): (session: Session) => boolean {
  if (peer === "") throw new UsageError("--peer is given and empty; nothing was sent");
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

/** What a list can be sorted by. Numbers and times begin with the largest and the latest. */
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

function orderOf({ sort }: Options): Order | undefined {
  return ORDERS[sort as keyof typeof ORDERS];
}

function sorted(sessions: readonly ListedSession[], { of }: Order): ListedSession[] {
  return sessions.toSorted((first, second) => compared(of(first), of(second)));
}

/** What has no value comes last. */
function compared(first: ReturnType<Order["of"]>, second: ReturnType<Order["of"]>): number {
  const [noFirst, noSecond] = [first ?? undefined, second ?? undefined].map((value) => value === undefined);
  if (noFirst || noSecond) return Number(noFirst) - Number(noSecond);
  if (typeof first === "number" && typeof second === "number") return second - first;
  return String(first).localeCompare(String(second), "en", { numeric: true });
}
