import type { AdminApi } from "../core/admin-api.ts";
import { givenReason } from "../core/conventions.ts";
import type { MutationOutcome } from "../core/errors.ts";
import { commandWords } from "../core/operations/command-words.ts";
import { changeWords } from "../core/records/change-words.ts";
import type { LastCommand } from "../core/records/last-commands.ts";
import { type AuditRecord, type AuditStage, secondPersonOf } from "../core/records/record.ts";
import type { ActiveStop } from "../core/stops/words.ts";
import { isObject } from "../core/values/basics.ts";
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
  /** Who asked for it, where a second person has sent it. */
  readonly requestedBy: string | null;
  /** Epoch milliseconds until which it waits for a second person; null where it does not. */
  readonly awaitedUntil: number | null;
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
  return { path, contentType: "application/json", content: () => JSON.stringify(pageRecords(api)) };
}

function pageRecords(api: RecordedApi | undefined): PageRecords {
  if (!api) return { stops: [], commands: [] };
  const disabled = api.stops.inForce.filter(({ operation }) => operation !== "haltTrading");
  const stops = disabled.map((stop) => ({ ...stop, reason: givenReason(stop.reason) }));
  return { stops, commands: api.lastCommands.map(givenCommand).reverse() };
}

function givenCommand({ intent, outcome, message }: LastCommand): GivenCommand {
  const { requestId, operation, parameters, target, user: by, lane, time } = intent;
  const reason = givenReason(intent.reason);
  const known = isObject(parameters) ? commandWords(operation ?? "")?.heading(parameters) : undefined;
  const words = known ?? `${operation} ${target ?? ""}`;
  const at = Date.parse(time);
  const isStop = lane === "stop";
  const { requestedBy = null, awaitedUntil } = secondPersonOf(intent);
  const ends = awaitedUntil === undefined ? null : Date.parse(awaitedUntil);
  const said = outcome === "state-shown" ? SHOWN : message;
  const details = [...changesOf(intent), ...(said === undefined ? [] : [said])].join("; ");
  const became = { outcome: outcome ?? null, message: details === "" ? null : details, awaitedUntil: ends };
  return { requestId, words, isStop, by, requestedBy, reason, at, ...became };
}

const SHOWN = "Its outcome was unknown; since then the engine shows it.";

/** Changes of one command that the list names; the audit trail has all. */
const MAX_CHANGES = 3;

function changesOf(intent: AuditRecord): string[] {
  // The new size of a position is in its heading.
  if (intent.operation === "adjustPosition" && !intent.before) return [];
  const changes = changeWords(intent);
  const more = changes.length - MAX_CHANGES;
  return more > 0 ? [...changes.slice(0, MAX_CHANGES), `and ${more} more`] : changes;
}
