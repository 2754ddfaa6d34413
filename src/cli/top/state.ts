import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { Output } from "../../core/operations/table.ts";
import { outcomeOf } from "../exit-codes.ts";
import type { Position } from "../operations/proof.ts";
import { changesOf } from "../watch/change.ts";
import { readSessions, type Session, sessionName } from "../watch/sessions.ts";
import type { TradingStatus } from "../watch/trading.ts";

type Service = Output<"listServices">[number];

/** What was read at one time. Positions are text where the engine refused them: why. */
export interface Snapshot {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly status: TradingStatus;
  readonly services: readonly Service[];
  readonly sessions: readonly Session[];
  readonly positions: readonly Position[] | string;
}

/** Something that went wrong, and when. */
export interface Failure {
  readonly at: number;
  readonly text: string;
}

/** Messages a second, inbound and outbound. */
interface Rates {
  readonly inbound: number;
  readonly outbound: number;
}

/** What the screen shows. */
export interface State {
  readonly reading: Snapshot | undefined;
  /** By name of the session; absent after a reset, and until there are two readings. */
  readonly rates: ReadonlyMap<string, Rates>;
  /** The last ones, the newest first. */
  readonly failures: readonly Failure[];
  /** Since when nothing could be read. */
  readonly outageSince: number | undefined;
}

export const NOTHING_READ: State = { reading: undefined, rates: new Map(), failures: [], outageSince: undefined };

const KEPT_FAILURES = 50;

/** The state after another reading. */
export function afterReading(state: State, reading: Snapshot): State {
  const before = state.reading;
  if (!before) return { ...state, reading, outageSince: undefined };
  const failures = failuresBetween(before, reading).map((text) => ({ at: reading.at, text }));
  return { ...withFailures(state, failures), reading, rates: ratesBetween(before, reading), outageSince: undefined };
}

/** The state after a reading that failed: what was read before stays on the screen. */
export function afterOutage(state: State, at: number, text: string): State {
  const isNew = state.outageSince === undefined;
  return {
    ...(isNew ? withFailures(state, [{ at, text }]) : state),
    outageSince: state.outageSince ?? at,
    rates: new Map(),
  };
}

/** The state with something that went wrong. */
export function withFailures(state: State, failures: readonly Failure[]): State {
  return { ...state, failures: [...failures, ...state.failures].slice(0, KEPT_FAILURES) };
}

/** What got worse: connections that were lost, services and sessions that were disabled, a halt. */
function failuresBetween(before: Snapshot, now: Snapshot): string[] {
  const sessions = changesOf(before.sessions, now.sessions, {
    nameOf: sessionName,
    fieldsOf: ({ status }) => ({ status }),
  });
  const services = changesOf(before.services, now.services, {
    nameOf: ({ name }) => `service ${name}`,
    fieldsOf: ({ status, enabled }) => ({ status, enabled }),
  });
  const worse = [...sessions, ...services].filter(
    ({ fields: { status, enabled } }) =>
      (status?.from === "Connected" && status.to !== "Connected") || status?.to === "Disabled" || enabled?.to === false,
  );
  const halted = !before.status.halted && now.status.halted ? [`trading halted: ${now.status.reason ?? ""}`] : [];
  return [...halted, ...worse.map(({ about, words }) => `${about}: ${words}`)];
}

function ratesBetween(before: Snapshot, now: Snapshot): Map<string, Rates> {
  const seconds = (now.at - before.at) / 1_000;
  const earlier = new Map(before.sessions.map((session) => [sessionName(session), session]));
  const rates = new Map<string, Rates>();
  for (const session of now.sessions) {
    const old = earlier.get(sessionName(session));
    const inbound = session.inboundSequence - (old?.inboundSequence ?? Number.POSITIVE_INFINITY);
    const outbound = session.outboundSequence - (old?.outboundSequence ?? Number.POSITIVE_INFINITY);
    if (seconds > 0 && inbound >= 0 && outbound >= 0) {
      rates.set(sessionName(session), { inbound: inbound / seconds, outbound: outbound / seconds });
    }
  }
  return rates;
}

/** Reads everything that the screen shows, side by side. */
export async function readAll(
  client: AdminClient,
  projection: string,
  call: { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const [status, services, sessions, positions] = await Promise.all([
    client.getTradingStatus({}, call),
    client.listServices({}, call),
    readSessions(client, undefined, call),
    readPositions(client, projection, call),
  ]);
  return { at: Date.now(), status, services, sessions, positions };
}

/** A projection that the engine does not have is no reason to show nothing else. */
async function readPositions(
  client: AdminClient,
  projection: string,
  call: { readonly signal: AbortSignal },
): Promise<Snapshot["positions"]> {
  try {
    return await client.listPositions({ projection }, call);
  } catch (error) {
    if (!(error instanceof AdminClientError) || outcomeOf(error) !== "rejected") throw error;
    return `choose another projection with --positions: ${error.reason}`;
  }
}
