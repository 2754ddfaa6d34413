import type { OperationName } from "../../core/operations/table.ts";
import { CONFIRMATION_UNKNOWN, confirmationWords } from "../../core/records/second-person.ts";
import { type ActiveStop, isStopOf, repeatedWords } from "../../core/stops/words.ts";
import type { Fields } from "../../core/values/basics.ts";
import { ago, sentence, since } from "../../pages/words.ts";
import type { AwaitedCommand, PageRecords } from "../records.ts";
import type { ConsoleApi } from "./api.ts";
import { type TableColumn, textColumn } from "./columns.ts";
import { isStop, type LastingStop, type PageCommand, UNDO } from "./commands.ts";
import type { Nodes } from "./nodes.ts";
import { FirstSeen, Reading } from "./reading.ts";
import { afterResuming, alreadyHalted, beforeResumingAll, begunWords, UNKNOWN_BEGINNING } from "./trading-words.ts";

/** Milliseconds after which the records are read again. */
export const RECORDS_MS = 30_000;

/** What was stopped, by the fields of the commands that name it. */
type Target = Fields;

/** Records of commands by the gateway. */
export class Records {
  readonly reading: Reading<PageRecords>;
  /** Targets of each stop that are seen to be stopped. */
  readonly #seen = new Map<OperationName, FirstSeen>();

  constructor(api: ConsoleApi) {
    this.reading = new Reading(() => api.records());
  }

  /** Says who disabled the thing of a row, when and why; `targetOf` is undefined where it is not disabled. */
  column<Row>(stop: OperationName, targetOf: (row: Row) => Target | undefined): TableColumn<Row> {
    const words = (row: Row): string => {
      const target = targetOf(row);
      return target === undefined ? "" : this.#words(stop, target);
    };
    return textColumn("Disabled by", words, { isNeeded: (row) => targetOf(row) !== undefined });
  }

  /** Takes what the engine shows as disabled: what is new and not in the records was disabled after they were read, which they are again. */
  noteStopped(stop: OperationName, targets: readonly (Target | undefined)[] = []): void {
    const stopped = new Map(targets.flatMap((target) => (target === undefined ? [] : [[keyOf(target), target]])));
    const added = this.#seenOf(stop).take([...stopped.keys()]);
    const isMissing = added.some((key) => this.find(stop, stopped.get(key) ?? {}) === undefined);
    if (this.reading.value && isMissing) void this.reading.refresh();
  }

  /** Whether a stop was seen after the records were read. */
  isOlder(stop: OperationName, target: Target): boolean {
    return this.#seenOf(stop).isOlder(this.reading.readAt, keyOf(target));
  }

  /** A stop that is active, by the records. */
  find(stop: string, target: Target): ActiveStop | undefined {
    return this.reading.value?.stops.find((candidate) => isStopOf(candidate, stop, target));
  }

  /**
   * Says of a command that waits for a second person who has asked for it: somebody else, if there is one; of a change that somebody may have, where
   * that cannot be read. Empty for any other.
   */
  awaitedWords(command: PageCommand): string {
    const { value, failure } = this.reading;
    const waiting = (value?.commands ?? []).flatMap(({ awaited, ...given }) =>
      awaited && !isOver(awaited) && given.words === command.words ? [{ ...given, ...awaited }] : [],
    );
    const request = waiting.find(({ isOwn }) => !isOwn) ?? waiting[0];
    if (request) return sentence(confirmationWords(request, Date.now()));
    return failure === undefined || isStop(command) ? "" : sentence(CONFIRMATION_UNKNOWN);
  }

  #words(stop: OperationName, target: Target): string {
    const found = this.find(stop, target);
    if (found) return stopWords(found);
    return this.isOlder(stop, target) ? "" : "not known";
  }

  #seenOf(stop: OperationName): FirstSeen {
    const seen = this.#seen.get(stop) ?? new FirstSeen();
    this.#seen.set(stop, seen);
    return seen;
  }
}

/** Whether nobody may send it any more. */
export function isOver({ until }: AwaitedCommand): boolean {
  return Date.now() >= until;
}

/** A text that no other service or session has. */
function keyOf({ name, gateway, session }: Target): string {
  return JSON.stringify([name, gateway, session]);
}

/** `operator, 06:39:12 UTC, 5 min ago: bad algo; repeated 06:41:10 by riskdesk (really)`. */
function stopWords({ by, since: at, reason, repeated }: ActiveStop): string {
  const because = reason === null ? "" : `: ${reason}`;
  return `${by ?? "somebody"}, ${since(at)}, ${ago(Date.now() - at)}${because}${repeatedWords(repeated, Date.now())}`;
}

/** How the thing of a command is before that: since when, by whom and why it was stopped. Empty where it is not, or that is not to be said. */
export function stateBefore(command: PageCommand, nodes: Nodes, records: Records): string {
  const words = stopBefore(command, nodes, records);
  return words === "" ? "" : `${nodes.asOf}${words}`;
}

/** What a proven command leaves stopped: what is halted above and below a node that was resumed, or individually when everything was. */
export async function remainderOf({ operation, input }: PageCommand, nodes: Nodes): Promise<string> {
  if (operation !== "resumeTrading") return "";
  await nodes.halts.refresh();
  return afterResuming(pathOf(input), nodes);
}

/** Says that a halt may not be the one that was meant: a name that is mistyped is halted like any other. Empty where nothing says so. */
export async function mistakeIn({ operation, input }: PageCommand, nodes: Nodes): Promise<string> {
  const path = pathOf(input);
  const doubt = operation === "haltTrading" && path !== "" ? await nodes.doubtAt(path) : undefined;
  return doubt === undefined ? "" : `${path} is halted, but ${doubt}.`;
}

function pathOf(input: PageCommand["input"]): string {
  return ("projectionPath" in input && input.projectionPath) || "";
}

function stopBefore({ operation, input }: PageCommand, nodes: Nodes, records: Records): string {
  const path = pathOf(input);
  if (operation === "resumeTrading") return haltBefore(path, nodes);
  if (operation === "haltTrading") return alreadyHalted(path, nodes);
  const [stop] = Object.entries(UNDO).find(([, undo]) => undo === operation) ?? [];
  if (stop === undefined) return "";
  const target: Target = { ...input };
  const found = records.find(stop, target);
  if (found) return begunWords("Disabled", found);
  return records.isOlder(stop as LastingStop, target) ? "" : `${UNKNOWN_BEGINNING}.`;
}

function haltBefore(path: string, nodes: Nodes): string {
  if (path === "") return beforeResumingAll(nodes);
  const halt = nodes.haltOf(path);
  const own = halt ? begunWords("Halted", halt) : "";
  const above = nodes.haltAbove(path);
  const stays = above === undefined ? "" : `It will stay halted, as ${above || "all trading"} is halted.`;
  return [own, stays].filter(Boolean).join(" ");
}
