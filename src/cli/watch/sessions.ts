import type { AdminClient } from "../../client/client.ts";
import { connect } from "../connection/connect.ts";
import { durationMs } from "../duration.ts";
import {
  type ReadFailure,
  readSessions,
  type Session,
  sessionName,
  withDetails,
  withKnown,
} from "../fix/session-list.ts";
import type { Run } from "../framework/definition.ts";
import { counted, tally } from "../output/columns.ts";
import { printInfo } from "../terminal/messages.ts";
import { type Attention, sessionChanges, type Watching, watching } from "./session-history.ts";
import { type Watched, watch } from "./watch.ts";

/** Connections whose time is read in each reading; of more sessions some at a time, in turns. */
const DETAILS_A_READING = 16;

export function sessionSummary(sessions: readonly Pick<Session, "status">[]): string {
  const statuses = tally(sessions.map(({ status }) => status));
  return `${counted(sessions.length, "session")}${statuses && `: ${statuses}`}`;
}

type Reader = Pick<AdminClient, "listFixGateways" | "listFixSessions" | "getFixSession">;

/** Watches the sessions of one FIX gateway, or of all. */
class SessionWatch implements Watched<readonly Watching[]> {
  readonly #client: Reader;
  readonly #gateway: string | undefined;
  readonly #attention: Attention;
  #known: readonly Watching[] = [];
  /** Where the next turn of details begins. */
  #turn = 0;
  /** Gateways that could not be read in the reading before. */
  #unread: ReadonlySet<string> = new Set();
  /** Sessions of which it was said that their details cannot be read. */
  readonly #untimed = new Set<string>();

  constructor(client: Reader, gateway: string | undefined, attention: Attention) {
    this.#client = client;
    this.#gateway = gateway;
    this.#attention = attention;
  }

  async read(call: { readonly signal: AbortSignal }): Promise<readonly Watching[]> {
    const list = await readSessions(this.#client, this.#gateway, call);
    const details = await withDetails(this.#client, this.#nextInTurn(list.sessions), call);
    if (!call.signal.aborted) this.#tell(list.failures, details.failures);
    const times = new Map(details.sessions.map((session) => [sessionName(session), session.connectTimestamp]));
    const before = new Map(this.#known.map((known) => [sessionName(known.session), known]));
    const at = Date.now();
    const read = list.sessions.map((session) => {
      const name = sessionName(session);
      return watching(before.get(name), { session, connectTimestamp: times.get(name), at }, this.#attention);
    });
    // Those of a gateway that could not be read: nothing is known of them that was not known before.
    const known = [...before.values()].map(({ session }) => session);
    const unread = withKnown({ sessions: [], failures: list.failures }, known);
    this.#known = [...read, ...unread.flatMap((session) => before.get(sessionName(session)) ?? [])];
    return this.#known;
  }

  summaryOf(known: readonly Watching[]): string {
    return sessionSummary(known.map(({ session }) => session));
  }

  changesOf = sessionChanges;

  #nextInTurn(sessions: readonly Session[]): Session[] {
    const connected = sessions.filter(({ status }) => status === "Connected");
    const from = this.#turn < connected.length ? this.#turn : 0;
    this.#turn = from + DETAILS_A_READING;
    return connected.slice(from, this.#turn);
  }

  #tell(gateways: readonly ReadFailure[], details: readonly ReadFailure[]): void {
    const now = new Set(gateways.map(({ of }) => of));
    const newly = gateways.filter(({ of }) => !this.#unread.has(of));
    const untimed = details.filter(({ of }) => !this.#untimed.has(of));
    for (const { of, error } of newly) note(`${of} cannot be read: ${error.message}`);
    for (const of of this.#unread) if (!now.has(of)) note(`${of} can be read again`);
    for (const { of, error } of untimed) note(`${of}: the time of its connection cannot be read: ${error.message}`);
    for (const { of } of untimed) this.#untimed.add(of);
    this.#unread = now;
  }
}

function note(words: string): void {
  printInfo(`${new Date().toISOString()}  ${words}`);
}

/** Heartbeats come every 30 s as a rule; a session that misses three has nobody behind it. */
const IDLE = "90s";

/** `fix watch`: changes of sessions, of one FIX gateway or of all. */
export const run: Run = async ({ arguments: { gateway }, options }) => {
  const idleMs = Math.max(durationMs("--idle", String(options.idle ?? IDLE)), 1);
  const { polling } = await connect(options);
  const attention = { traffic: options.traffic === true, idleMs };
  await watch(new SessionWatch(polling, gateway === undefined ? undefined : String(gateway), attention), options);
};
