import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { inParallel } from "../../core/load/concurrency.ts";
import type { Output } from "../../core/operations/table.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { failureWords } from "../operations/describe-command.ts";
import { printError } from "../terminal/messages.ts";

export type Session = Output<"listFixSessions">[number];
/** A session as it is listed, or with its details where they were read. */
export type ListedSession = Session & Partial<Output<"getFixSession">>;

/** Reads of one command that are in progress at a time. */
const WIDTH = 8;

type Call = { readonly signal?: AbortSignal };

/** Sessions, and what could not be read of them. */
export interface SessionList<S extends Session = Session> {
  readonly sessions: readonly S[];
  readonly failures: readonly ReadFailure[];
}

/** A gateway whose sessions could not be read, or a session whose details could not. */
export interface ReadFailure {
  /** `FIX gateway OE1`. */
  readonly of: string;
  /** The gateway that is missing from a list; undefined where only details are missing. */
  readonly gateway?: string;
  readonly error: AdminClientError;
}

/** `OE1/CLIENT1`, no two sessions alike: a gateway whose name holds a `/` is quoted. */
export function sessionName({ gatewayName, sessionId }: Session): string {
  const gateway = /^"|\//.test(gatewayName) ? JSON.stringify(gatewayName) : gatewayName;
  return `${gateway}/${sessionId}`;
}

/** The other end of a session's connection, null without one. */
export function peerOf({ remoteIp, remotePort }: Session): string | null {
  if (remoteIp === null) return null;
  const port = remotePort === null ? "" : `:${remotePort}`;
  return remoteIp.includes(":") ? `[${remoteIp}]${port}` : `${remoteIp}${port}`;
}

/**
 * Reads the sessions of one FIX gateway, or of all. Of several gateways one that cannot be read is a failure beside the sessions of the
 * others.
 *
 * @throws AdminClientError when none can be read.
 */
export async function readSessions(
  client: Pick<AdminClient, "listFixGateways" | "listFixSessions">,
  gateway?: string,
  call: Call = {},
): Promise<SessionList> {
  const names =
    gateway === undefined ? (await client.listFixGateways({}, call)).map(({ gatewayName }) => gatewayName) : [gateway];
  const lists = await inParallel(names, WIDTH, (name) => listed(client, name, call));
  const failures = lists.flatMap(({ failures: own }) => own);
  const [first] = failures;
  if (first && failures.length === names.length) throw first.error;
  return { sessions: lists.flatMap(({ sessions }) => sessions), failures };
}

async function listed(client: Pick<AdminClient, "listFixSessions">, gateway: string, call: Call): Promise<SessionList> {
  try {
    return { sessions: await client.listFixSessions({ gateway }, call), failures: [] };
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    return { sessions: [], failures: [{ of: `FIX gateway ${gateway}`, gateway, error }] };
  }
}

/** The sessions of a reading; those of a gateway that could not be read as they were before. */
export function withKnown({ sessions, failures }: SessionList, before: readonly Session[]): Session[] {
  const missing = new Set(failures.map(({ gateway }) => gateway));
  return [...sessions, ...before.filter(({ gatewayName }) => missing.has(gatewayName))];
}

const NOT_FOUND = 404;

/** After this many failures the details of further sessions are not asked for: a gateway that hangs would be waited for again and again. */
const MAX_FAILURES = 8;

/** Reads the details of sessions, a few at a time. One that went away meanwhile, or whose details cannot be read, stays as it was listed. */
export async function withDetails(
  client: Pick<AdminClient, "getFixSession">,
  sessions: readonly Session[],
  call: Call = {},
): Promise<SessionList<ListedSession>> {
  const failures: ReadFailure[] = [];
  const detailed = await inParallel(sessions, WIDTH, async (session): Promise<ListedSession> => {
    if (failures.length >= MAX_FAILURES) return session;
    try {
      return await client.getFixSession({ gateway: session.gatewayName, session: session.sessionId }, call);
    } catch (error) {
      if (!(error instanceof AdminClientError)) throw error;
      if (error.status !== NOT_FOUND) failures.push({ of: `FIX session ${sessionName(session)}`, error });
      return session;
    }
  });
  return { sessions: detailed, failures };
}

/** Says what is missing from a list, and returns the exit code that says so, too; 0 where nothing is. */
export function tellFailures(failures: readonly ReadFailure[]): number {
  for (const { of, error } of failures)
    printError(`${of} is not shown in full: ${failureWords(error.operation, error)}`);
  if (failures.length >= MAX_FAILURES)
    printError("the list is not complete; the details of further sessions were not read");
  const [first] = failures;
  return first ? exitCodeOf(first.error) : 0;
}
