import type { AdminApi } from "../core/admin-api.ts";
import { givenReason } from "../core/conventions.ts";
import type { MutationOutcome } from "../core/errors.ts";
import { commandWords } from "../core/operations/command-words.ts";
import { changeWords } from "../core/records/change-words.ts";
import type { LastCommand } from "../core/records/last-commands.ts";
import {
  type ApprovedRequest,
  type AuditRecord,
  type AuditStage,
  approvedRequestOf,
  secondPersonOf,
} from "../core/records/record.ts";
import type { ActiveStop } from "../core/stops/words.ts";
import { type Fields, isObject } from "../core/values/basics.ts";
import type { HttpDocument } from "../http/documents.ts";

/** The parts of an API that the console shows by itself. */
export type RecordedApi = Pick<AdminApi, "stops" | "lastCommands">;

/** A command that was given through the API. */
export interface GivenCommand {
  readonly requestId: string;
  /** The command in words: "Halt Account[GOLD]". */
  readonly words: string;
  /** Whether it halts, disables or disconnects something. */
  readonly isStop: boolean;
  readonly by: string | null;
  /** The reason that was given; null without one. */
  readonly reason: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** As recorded; of a command of the page without a record, as the page knows it. Null while it is in progress. */
  readonly outcome: AuditStage | MutationOutcome | null;
  /** What it changes; why it was not applied, or what of it was ignored. */
  readonly message: string | null;
  /** The request that it approved. */
  readonly approves: ApprovedRequest | null;
  /** Of a command that waits for a second person, or that nobody has sent. */
  readonly awaited: AwaitedCommand | null;
}

/** A change that another user may send. */
export interface AwaitedCommand {
  readonly operation: string;
  readonly input: Fields;
  /** Epoch milliseconds. */
  readonly until: number;
  /** Whether whoever reads this has asked for it. */
  readonly isOwn: boolean;
}

/** Recent commands and stops, as the API knows them. */
export interface PageRecords {
  /** Services and sessions that are disabled: by whom, and since when. Halts are in the list of halts, and may be thousands. */
  readonly stops: readonly ActiveStop[];
  /** The latest first. */
  readonly commands: readonly GivenCommand[];
}

/** Makes the document that tells the page who stopped what, and which commands were the last. */
export function recordsDocument(path: string, api: RecordedApi | undefined): HttpDocument {
  return { path, contentType: "application/json", content: ({ name }) => JSON.stringify(pageRecords(api, name)) };
}

function pageRecords(api: RecordedApi | undefined, reader: string): PageRecords {
  if (!api) return { stops: [], commands: [] };
  const disabled = api.stops.inForce.filter(({ operation }) => operation !== "haltTrading");
  const stops = disabled.map((stop) => ({ ...stop, reason: givenReason(stop.reason) }));
  return { stops, commands: api.lastCommands.map((command) => givenCommand(command, reader)).reverse() };
}

function givenCommand({ intent, outcome, message }: LastCommand, reader: string): GivenCommand {
  const { requestId, operation, parameters, target, user: by, lane, time } = intent;
  const reason = givenReason(intent.reason);
  const known = isObject(parameters) ? commandWords(operation ?? "")?.heading(parameters) : undefined;
  const words = known ?? `${operation} ${target ?? ""}`;
  const at = Date.parse(time);
  const isStop = lane === "stop";
  const awaited = awaitedCommand(intent, reader);
  // How long it waits is all that its refusal says.
  const said = awaited ? undefined : outcome === "state-shown" ? SHOWN : message;
  const details = [...changesOf(intent), ...(said === undefined ? [] : [said])].join("; ");
  const became = { outcome: outcome ?? null, message: details === "" ? null : details };
  return { requestId, words, isStop, by, reason, at, ...became, approves: approvedRequestOf(intent) ?? null, awaited };
}

function awaitedCommand(intent: AuditRecord, reader: string): AwaitedCommand | null {
  const { operation, parameters, user } = intent;
  const { awaitedUntil } = secondPersonOf(intent);
  if (awaitedUntil === undefined || operation === null) return null;
  return { operation, input: { ...parameters }, until: Date.parse(awaitedUntil), isOwn: user === reader };
}

const SHOWN = "Its outcome was unknown; since then the engine shows it.";

/** Changes of one command that the list names; the audit trail has all. */
const MAX_CHANGES = 3;

function changesOf(intent: AuditRecord): string[] {
  const { operation, parameters, before } = intent;
  if (!before && isObject(parameters) && commandWords(operation ?? "")?.hasValues?.(parameters)) return [];
  const changes = changeWords(intent);
  const more = changes.length - MAX_CHANGES;
  return more > 0 ? [...changes.slice(0, MAX_CHANGES), `and ${more} more`] : changes;
}
