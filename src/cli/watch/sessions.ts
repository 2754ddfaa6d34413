import type { AdminClient } from "../../client/client.ts";
import type { Output } from "../../core/operations/table.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { counted } from "../output/columns.ts";
import { type Change, changesOf } from "./change.ts";
import { type Watched, watch } from "./watch.ts";

export type Session = Output<"listFixSessions">[number];

/** Reads the sessions of one FIX gateway, or of all. */
export async function readSessions(
  client: Pick<AdminClient, "listFixGateways" | "listFixSessions">,
  gateway?: string,
  call: { readonly signal?: AbortSignal } = {},
): Promise<Session[]> {
  const gateways = gateway === undefined ? await client.listFixGateways({}, call) : [{ gatewayName: gateway }];
  const lists = await Promise.all(
    gateways.map(({ gatewayName }) => client.listFixSessions({ gateway: gatewayName }, call)),
  );
  return lists.flat();
}

/** Name of a session in an installation. */
export function sessionName({ gatewayName, sessionId }: Session): string {
  return `${gatewayName}/${sessionId}`;
}

/** What changed in the sessions: status, peer, and sequence numbers that fell, which is a reset; with `traffic` all of them. */
export function sessionChanges(before: readonly Session[], now: readonly Session[], traffic: boolean): Change[] {
  const earlier = new Map(before.map((session) => [sessionName(session), session]));
  const progress = (session: Session, field: "inboundSequence" | "outboundSequence"): boolean => {
    const old = earlier.get(sessionName(session));
    return traffic || old === undefined || session[field] < old[field];
  };
  // A sequence number that only went on is taken for what it was.
  const settled = now.map((session) => {
    const old = earlier.get(sessionName(session)) ?? session;
    const inbound = progress(session, "inboundSequence") ? session : old;
    const outbound = progress(session, "outboundSequence") ? session : old;
    return { ...session, inboundSequence: inbound.inboundSequence, outboundSequence: outbound.outboundSequence };
  });
  return changesOf(before, settled, { nameOf: sessionName, fieldsOf });
}

function fieldsOf({
  status,
  remoteIp,
  remotePort,
  inboundSequence,
  outboundSequence,
}: Session): Record<string, unknown> {
  const peer = remoteIp === null ? null : `${remoteIp}:${remotePort}`;
  return { status, peer, inbound: inboundSequence, outbound: outboundSequence };
}

/** How many sessions are in which status, in words. */
export function sessionSummary(sessions: readonly Session[]): string {
  const counts = new Map<string, number>();
  for (const { status } of sessions) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(([status, count]) => `${count} ${status}`);
  return `${counted(sessions.length, "session")}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

/** `fix watch`: changes of sessions, of one FIX gateway or of all. */
export const run: Run = async ({ arguments: { gateway }, options }) => {
  const { polling } = await connect(options);
  const sessions: Watched<Session[]> = {
    read: (call) => readSessions(polling, gateway === undefined ? undefined : String(gateway), call),
    summaryOf: sessionSummary,
    changesOf: (before, now) => sessionChanges(before, now, options.traffic === true),
  };
  await watch(sessions, options);
};
