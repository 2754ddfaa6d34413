import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { givenReason } from "../../core/conventions.ts";
import type { Output } from "../../core/operations/table.ts";
import { lostWords } from "../../core/stops/words.ts";
import { outcomeOf } from "../exit-codes.ts";
import { type ReadFailure, readSessions, type Session, sessionName, withKnown } from "../fix/session-list.ts";
import { type Halts, nodesBelow, readHalts } from "../halts/halts.ts";
import type { Position } from "../operations/proof.ts";
import { changesOf, type FieldChange } from "../watch/change.ts";
import type { TradingStatus } from "../watch/trading.ts";

/** One reading. Positions are the reason, as text, where the engine refused them. */
export interface Snapshot {
  /** Epoch milliseconds at which the reading began: nothing in it is older. */
  readonly at: number;
  readonly status: TradingStatus;
  readonly halts: Halts;
  readonly services: Output<"listServices">;
  readonly sessions: readonly Session[];
  /** FIX gateways whose sessions could not be read; theirs are as they were before. */
  readonly unread: readonly ReadFailure[];
  readonly positions: readonly Position[] | string;
}

export interface Event {
  readonly at: number;
  readonly text: string;
}

/** Messages a second, inbound and outbound. */
interface Rates {
  readonly inbound: number;
  readonly outbound: number;
}

export interface State {
  readonly reading: Snapshot | undefined;
  /** By name of the session; absent after a reset, and until there are two readings. */
  readonly rates: ReadonlyMap<string, Rates>;
  /** The last ones, the newest first. */
  readonly events: readonly Event[];
  /** Since when nothing could be read. */
  readonly outageSince: number | undefined;
}

export const NOTHING_READ: State = { reading: undefined, rates: new Map(), events: [], outageSince: undefined };

const KEPT_EVENTS = 50;

export function afterReading(state: State, read: Snapshot): State {
  const before = state.reading;
  if (!before) return { ...state, reading: read, outageSince: undefined };
  const reading = { ...read, sessions: withKnown({ sessions: read.sessions, failures: read.unread }, before.sessions) };
  const events = eventsBetween(before, reading).map((text) => ({ at: reading.at, text }));
  const { outageSince } = state;
  const seconds = Math.round((reading.at - (outageSince ?? 0)) / 1_000);
  const back =
    outageSince === undefined ? [] : [{ at: reading.at, text: `there is a response again after ${seconds} s` }];
  return {
    ...withEvents(state, [...events, ...back]),
    reading,
    rates: ratesBetween(before, reading),
    outageSince: undefined,
  };
}

/** The state after a reading that failed: what was read before stays on the screen. */
export function afterOutage(state: State, at: number, text: string): State {
  const isNew = state.outageSince === undefined;
  return {
    ...(isNew ? withEvents(state, [{ at, text }]) : state),
    outageSince: state.outageSince ?? at,
    rates: new Map(),
  };
}

export function withEvents(state: State, events: readonly Event[]): State {
  return { ...state, events: [...events, ...state.events].slice(0, KEPT_EVENTS) };
}

/** All changes, as a resumption is as dangerous as a lost connection; the kill switch first. */
function eventsBetween(before: Snapshot, now: Snapshot): string[] {
  const sessions = changesOf(before.sessions, now.sessions, {
    nameOf: sessionName,
    fieldsOf: ({ status }) => ({ status }),
  });
  const services = changesOf(before.services, now.services, {
    nameOf: ({ name }) => `service ${name}`,
    fieldsOf: ({ status, enabled }) => ({ status, enabled }),
  });
  return [
    ...tradingEvents(before.status, now.status),
    ...nodeEvents(before.halts, now.halts),
    ...[...sessions, ...services].map(({ about, words }) => `${about}: ${words}`),
    ...unreadEvents(before.unread, now.unread),
  ];
}

/** FIX gateways that cannot be read any more, and those that can be again. */
function unreadEvents(before: readonly ReadFailure[], now: readonly ReadFailure[]): string[] {
  const [then, after] = [before, now].map((failures) => new Set(failures.map(({ of }) => of)));
  return [
    ...now.filter(({ of }) => !then?.has(of)).map(({ of, error }) => `${of} cannot be read: ${error.reason}`),
    ...before.filter(({ of }) => !after?.has(of)).map(({ of }) => `${of} can be read again`),
  ];
}

/** The reason comes last: it may be long. */
function tradingEvents(before: TradingStatus, now: TradingStatus): string[] {
  if (before.halted === now.halted && (!now.halted || before.reason === now.reason)) return [];
  const [then, after] = [before, now].map(({ halted }) => (halted ? "halted" : "running"));
  const change = then === after ? `${after}, for another reason` : `${then} -> ${after}`;
  return [`trading ${change} (system-wide): ${givenReason(now.reason) ?? "no reason given"}`];
}

/** Nodes whose halts came, changed or went, and stops that the engine has forgotten since. */
function nodeEvents(before: Halts, now: Halts): string[] {
  const nodes = changesOf(nodesBelow("", before.halts), nodesBelow("", now.halts), {
    nameOf: ({ projectionPath }) => projectionPath,
    fieldsOf: ({ reason }) => ({ reason: givenReason(reason) ?? "no reason given" }),
  });
  const inWords = ({ lost }: Halts): string[] => lost.map((stop) => lostWords(stop, Date.now()));
  const known = new Set(inWords(before));
  const lost = inWords(now).filter((words) => !known.has(words));
  return [...nodes.map(({ about, fields }) => `${about}: ${haltChange(fields.reason)}`), ...lost];
}

function haltChange(reason: FieldChange | undefined): string {
  if (reason?.to === null) return "halted -> not halted";
  return `${reason?.from === null ? "not halted -> halted" : "halted, for another reason"}: ${reason?.to}`;
}

function ratesBetween(before: Snapshot, now: Snapshot): Map<string, Rates> {
  const seconds = (now.at - before.at) / 1_000;
  const earlier = new Map(before.sessions.map((session) => [sessionName(session), session]));
  const rates = new Map<string, Rates>();
  for (const session of now.sessions) {
    const old = earlier.get(sessionName(session));
    const inbound = grown(old?.inboundSequence, session.inboundSequence);
    const outbound = grown(old?.outboundSequence, session.outboundSequence);
    if (seconds > 0 && inbound >= 0 && outbound >= 0) {
      rates.set(sessionName(session), { inbound: inbound / seconds, outbound: outbound / seconds });
    }
  }
  return rates;
}

/** By how much a sequence number has grown; not a number where one of both is unknown. */
function grown(then: number | null | undefined, now: number | null): number {
  return (now ?? Number.NaN) - (then ?? Number.NaN);
}

/** Reads everything that the screen shows, side by side. */
export async function readAll(
  client: AdminClient,
  projection: string,
  call: { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const at = Date.now();
  const [status, halts, services, { sessions, failures }, positions] = await Promise.all([
    client.getTradingStatus({}, call),
    readHalts(client, call),
    client.listServices({}, call),
    readSessions(client, undefined, call),
    readPositions(client, projection, call),
  ]);
  return { at, status, halts, services, sessions, unread: failures, positions };
}

/** A projection that the engine does not have must not hide everything else. */
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
