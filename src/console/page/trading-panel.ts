import { wildcardAdvice } from "../../client/node-advice.ts";
import type { Output } from "../../core/operations/table.ts";
import { byId, element, setText } from "../../pages/dom.ts";
import { type Absent, ago, capitalized } from "../../pages/words.ts";
import {
  commandsColumn,
  nameColumn,
  type RowState,
  rowCommand,
  stateColumn,
  type TableColumn,
  textColumn,
} from "./columns.ts";
import { pageCommand } from "./commands.ts";
import { DataTable } from "./data-table.ts";
import { LostStops } from "./lost-stops.ts";
import { HALTS_MS, type NodeState, type Nodes } from "./nodes.ts";
import { Panel, type Parts } from "./panel.ts";
import type { Reading } from "./reading.ts";
import { byNumber } from "./row-order.ts";
import { pathProblem } from "./scope-picker.ts";
import { aboutWhole, nodeBy, nodeReason, nodeSince, nodeState, pillWords, WHOLE_STATES } from "./trading-words.ts";

type TradingState = Output<"getTradingStatus">;

const RESUME_ALL = pageCommand("resumeTrading", { projectionPath: "" });

const ROOT_MS = 5_000;

/** Notes on the completeness of the list of halts. */
const LISTS = {
  complete: "The engine lists everything that is halted.",
  incomplete:
    "The list may be incomplete: it has what was halted through this gateway, as the engine shows it now. " +
    "A node halted in another way is missing until you name it.",
} as const;

/** The trading state of everything, the nodes that are looked at, and what halts and resumes them. */
export class TradingPanel extends Panel {
  readonly #parts: Parts;
  readonly #nodes: Nodes;
  readonly #root: Reading<TradingState>;
  readonly #about = element("p", { className: "state" });
  readonly #pill = byId("pill");
  readonly #haltAll = byId("halt-all") as HTMLButtonElement;
  readonly #resume: HTMLButtonElement;
  readonly #haltNode: HTMLButtonElement;
  readonly #table: DataTable<NodeState>;
  readonly #advice = element("p", { className: "note" });
  readonly #lost: LostStops;

  constructor(parts: Parts, root: Reading<TradingState>, nodes: Nodes) {
    super("trading", parts.polling);
    const { access, desk } = parts;
    this.#parts = parts;
    this.#root = root;
    this.#nodes = nodes;
    this.#resume = access.button("Resume all trading", "resumeTrading", () => desk.ask(RESUME_ALL));
    this.#resume.hidden = true;
    this.#haltNode = access.button("Halt a node", "haltTrading", () => desk.askHalt(undefined));
    this.#haltNode.classList.add("stop");
    access.guard(this.#haltAll, "haltTrading", () => desk.askHalt(""));
    this.#haltAll.disabled = false;
    byId("loading").remove();
    this.#table = new DataTable({
      id: "nodes",
      label: "Nodes",
      keyOf: ({ path }) => path,
      searchedIn: (node) => ({
        state: this.#stateOf(node).tone,
        text: [node.path, node.reason, node.by].join(" "),
      }),
      orderedBy: "state",
    });
    this.#table.columns = this.#columns();
    const actions = element("div", { className: "state-actions" }, [this.#resume, this.#haltNode]);
    const summary = element("div", { className: "state-row" }, [this.#about, actions]);
    this.#lost = new LostStops(access, desk);
    this.body.append(summary, this.#lost.banner);
    this.lay(this.#table);
    this.body.append(this.#advice, this.#lookForm(), parts.trends.element);
    this.follow(root, { periodMs: () => ROOT_MS, wanted: () => true, first: true });
    this.follow(nodes.halts, { periodMs: () => HALTS_MS, wanted: () => true });
    root.onChange(() => this.show());
  }

  override show(): void {
    const { access } = this.#parts;
    this.note(access.note("haltTrading", "halt or resume trading"));
    for (const button of [this.#haltAll, this.#haltNode]) access.mark(button, "haltTrading");
    access.mark(this.#resume, "resumeTrading");
    this.#showWhole();
    const nodes = [...this.#nodes.all].sort((left, right) => left.path.localeCompare(right.path, "en"));
    this.#table.rows = nodes;
    for (const part of [this.#table.scroller, ...this.#table.tools]) part.hidden = nodes.length === 0;
    this.#showList();
  }

  override showAge(now: number, absent: Absent): void {
    super.showAge(now, absent);
    this.#showWhole();
  }

  #showList(): void {
    const { value } = this.#nodes.halts;
    const list = value === undefined ? "" : `${this.#nodes.asOf}${value.complete ? LISTS.complete : LISTS.incomplete}`;
    setText(this.count, [this.#table.countWords, list].filter(Boolean).join(". "));
    const wildcards = this.#nodes.all.map(({ path }) => wildcardAdvice(path));
    const advice = [...wildcards, ...this.#nodes.advice].filter((text) => text !== undefined);
    setText(this.#advice, advice.map((text) => `${capitalized(text)}.`).join(" "));
    this.#advice.hidden = advice.length === 0;
    this.#lost.show(value?.lost ?? []);
  }

  #showWhole(): void {
    const { value, failure } = this.#root;
    const { halted, root } = this.#nodes;
    const lost = this.#nodes.halts.value?.lost?.length ?? 0;
    const whole = value === undefined ? "unknown" : value.halted ? "halted" : "running";
    const isOld = failure !== undefined && value !== undefined;
    const seen = isOld ? "Last seen: " : "";
    const isPartly = whole === "running" && (isOld || halted.length > 0 || lost > 0);
    const begun = isOld ? undefined : root?.since;
    setText(this.#pill, `${seen}${pillWords(whole, begun, halted.length, lost)}`);
    const about = this.#aboutWords(whole);
    setText(this.#about, about === "" ? "" : `${this.#nodes.asOf}${about}`);
    for (const shown of [this.#about, this.#pill]) {
      shown.dataset.state = isPartly ? "partly" : whole;
      shown.classList.toggle("old", isOld);
    }
    this.#resume.classList.toggle("change", whole === "halted");
    this.#offerResume(value === undefined ? failure !== undefined : value.halted);
  }

  #aboutWords(whole: keyof typeof WHOLE_STATES): string {
    const { failure } = this.#root;
    if (whole === "unknown") return failure === undefined ? "" : `${WHOLE_STATES.unknown}.`;
    return this.#nodes.halts.value ? aboutWhole(this.#nodes) : "";
  }

  /** Trading that runs cannot be resumed; while the state cannot be read, it may be halted. */
  #offerResume(isOffered: boolean): void {
    const hadFocus = document.activeElement === this.#resume;
    this.#resume.hidden = !isOffered;
    if (hadFocus && !isOffered) this.#haltNode.focus();
  }

  #columns(): TableColumn<NodeState>[] {
    return [
      stateColumn((node) => this.#stateOf(node)),
      nameColumn("Node", ({ path }) => path),
      textColumn("Reason", nodeReason),
      textColumn("By", nodeBy),
      textColumn("Since", nodeSince, {
        kind: "word",
        ascending: byNumber((node) => node.since ?? 0),
      }),
      textColumn("Read", ({ readAt }) => (readAt === undefined ? "" : ago(Date.now() - readAt)), {
        kind: "word",
        ascending: byNumber(({ readAt }) => readAt ?? 0),
      }),
      this.#commands(),
    ];
  }

  #stateOf(node: NodeState): RowState {
    return nodeState(node, this.#nodes.haltAbove(node.path), this.#root.failure ?? node.failure);
  }

  #commands(): TableColumn<NodeState> {
    const { access, desk } = this.#parts;
    const isHalted = ({ halted }: NodeState): boolean => halted === true;
    const isNotHalted = (node: NodeState): boolean => !isHalted(node);
    return commandsColumn(access, ({ path }) => path, [
      { label: "Halt", operation: "haltTrading", isOffered: isNotHalted, open: ({ path }) => desk.askHalt(path) },
      rowCommand(desk, "resumeTrading", ({ path }) => ({ projectionPath: path }), isHalted),
      { label: "Hide", isOffered: isNotHalted, open: ({ path }) => this.#nodes.hide(path) },
    ]);
  }

  #lookForm(): HTMLFormElement {
    const path = element("input", {
      type: "text",
      placeholder: "Account[GOLD]",
      autocomplete: "off",
      spellcheck: false,
    });
    const problem = element("span", { className: "problem" });
    const label = element("label", {}, ["Look at a node ", path]);
    const form = element("form", { className: "look", noValidate: true }, [
      label,
      element("button", { type: "submit" }, ["Show"]),
      problem,
    ]);
    form.onsubmit = (event) => {
      event.preventDefault();
      const named = path.value.trim();
      const fault = named === "" ? "name a node, such as Account[GOLD]" : pathProblem(named);
      setText(problem, fault ?? "");
      if (fault !== undefined) return;
      path.value = "";
      void this.#nodes.look(named);
    };
    return form;
  }
}
