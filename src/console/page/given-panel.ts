import { WAITS_FOR_SECOND } from "../../core/records/second-person.ts";
import { setText } from "../../pages/dom.ts";
import type { Verdict } from "../../pages/status-line.ts";
import { type Absent, ago, capitalized, since } from "../../pages/words.ts";
import type { GivenCommand } from "../records.ts";
import { nameColumn, type RowState, stateColumn, textColumn } from "./columns.ts";
import { isLearnedLate, type OwnCommand } from "./command-desk.ts";
import { isStop } from "./commands.ts";
import { DataTable } from "./data-table.ts";
import { Panel, type Parts } from "./panel.ts";
import { isOver, RECORDS_MS } from "./records.ts";
import { byNumber } from "./row-order.ts";

/** Milliseconds after which the records are read again while a command waits for a second person: both look at the page until it is sent. */
const AWAITED_MS = 3_000;

/** The last commands: those that the gateway recorded, and those of this page. */
export class GivenPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<GivenCommand>({
    id: "given",
    label: "Last commands",
    keyOf: ({ requestId, at }) => `${requestId} ${at}`,
    searchedIn: (command) => ({
      state: stateOf(command).words,
      text: [command.words, command.by, command.reason, command.message].join(" "),
    }),
    orderedBy: "-at",
    folded: { words: "applied", isFine: (command) => stateOf(command).tone === "running" },
  });

  constructor(parts: Parts) {
    super("given", parts.polling);
    this.#parts = parts;
    const { reading } = parts.records;
    this.#table.columns = [
      stateColumn(stateOf, "Outcome"),
      nameColumn("Command", ({ words }) => words),
      textColumn("Reason", ({ reason }) => reason ?? ""),
      textColumn("By", byWords),
      textColumn("At", ({ at }) => `${since(at)}, ${ago(Date.now() - at)}`, {
        kind: "word",
        ascending: byNumber(({ at }) => at),
      }),
      textColumn("Details", detailsOf, { isNeeded: (command) => detailsOf(command) !== "" }),
    ];
    this.lay(this.#table);
    reading.onChange(() => {
      parts.desk.learn(reading.value?.commands ?? []);
      this.show();
    });
    // Who disabled what is in tables that may be in sight where this one is not.
    const periodMs = (): number => ((reading.value?.commands ?? []).some(isAwaited) ? AWAITED_MS : RECORDS_MS);
    this.follow(reading, { periodMs, wanted: () => true });
  }

  override show(): void {
    const commands = this.#commands();
    this.#table.rows = commands;
    for (const part of [this.#table.scroller, ...this.#table.tools]) part.hidden = commands.length === 0;
    const scope = commands.length === 0 ? "No commands recorded." : "Sent from this page, or through this gateway.";
    setText(this.count, [this.#table.countWords, scope].filter(Boolean).join(". "));
  }

  override showAge(now: number, absent: Absent): void {
    // The gateway has the records: they do not get old while only the engine is away.
    super.showAge(now, absent === "gateway" ? absent : undefined);
    this.show();
  }

  #commands(): GivenCommand[] {
    const recorded = this.#parts.records.reading.value?.commands ?? [];
    const { desk } = this.#parts;
    const owns = recorded.map((command) => desk.ownOf(command));
    const known = recorded.map((command, index) => withVerdict(command, owns[index]));
    const unrecorded = desk.given.filter((own) => !owns.includes(own));
    return [...known, ...unrecorded.map((own) => this.#given(own))];
  }

  #given({ requestId, command, reason, at, line }: OwnCommand): GivenCommand {
    const { words } = command;
    const { outcome: known } = line.verdict;
    const outcome = OUTCOMES[known];
    const by = this.#parts.access.userName;
    const alone = { approves: null, awaited: null };
    const message = messageOf(words, line.verdict);
    return { requestId, words, isStop: isStop(command), by, reason, at, outcome, message, ...alone };
  }
}

/** Outcomes of the page's own commands that have no record; null while they are in progress. */
const OUTCOMES: Readonly<Record<Verdict["outcome"], GivenCommand["outcome"]>> = {
  pending: null,
  awaited: "denied",
  proven: "applied",
  applied: "applied",
  unknown: "unknown",
  "not-applied": "not-applied",
};

/** For its own commands the page knows what a read has proven, unless the gateway has learned since what nobody knew. */
function withVerdict(command: GivenCommand, own: OwnCommand | undefined): GivenCommand {
  if (!own || command.awaited || isLearnedLate(command)) return command;
  const { verdict } = own.line;
  const isDone = command.outcome === "unknown" && OUTCOMES[verdict.outcome] === "applied";
  return { ...command, message: messageOf(command.words, verdict), ...(isDone && { outcome: "applied" }) };
}

/** What a verdict adds to the words of its command, which the list has. */
function messageOf(words: string, { text, details = "", briefly }: Verdict): string {
  const told = text.startsWith(`${words}: `) ? capitalized(text.slice(words.length + 2)) : text;
  return briefly ?? `${told} ${details}`.trimEnd();
}

function byWords({ by, approves }: GivenCommand): string {
  const words = by ?? "somebody";
  return approves === null ? words : `${words}, as ${approves.requestedBy} asked`;
}

function detailsOf({ message, awaited }: GivenCommand): string {
  const waits = awaited && `${isOver(awaited) ? "no second person sent it by" : "until"} ${since(awaited.until)}`;
  return [waits, message].filter(Boolean).join("; ");
}

function isAwaited({ awaited }: Pick<GivenCommand, "awaited">): boolean {
  return awaited !== null && !isOver(awaited);
}

/** How a command came out, in the words of the API. A stop that was not applied leaves trading as it is. */
function stateOf({ outcome, isStop, awaited }: GivenCommand): RowState {
  if (isAwaited({ awaited })) return { words: WAITS_FOR_SECOND, tone: "partly" };
  if (outcome === null) return { words: "in progress", tone: "unknown" };
  if (outcome === "unknown" || outcome === "contradicted") return { words: outcome, tone: "partly" };
  if (outcome === "state-shown") return { words: "applied", tone: "running" };
  if (outcome.startsWith("applied")) return { words: outcome, tone: "running" };
  return { words: "not applied", tone: isStop ? "partly" : "none" };
}
