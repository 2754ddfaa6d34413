import type { Output } from "../../core/operations/table.ts";
import { resume } from "./commands.ts";
import { DataTable, type TableColumn, textColumn } from "./data-table.ts";
import { byId, describeButtons, element, setText } from "./dom.ts";
import { type Absent, absentOf, failureText } from "./failure.ts";
import type { NodeState, Nodes } from "./nodes.ts";
import { Panel, type Parts } from "./panel.ts";
import type { Reading } from "./reading.ts";
import { pathProblem } from "./scope-picker.ts";
import { ago } from "./time.ts";

type TradingState = Output<"getTradingStatus">;

const WORDS = {
  running: "Trading is running",
  halted: "All trading is halted",
  unknown: "The trading state is not known",
} as const;

const ROOT_MS = 5_000;

/** What the list of nodes can say, and what it cannot. */
const KNOWN =
  "Nodes halted or resumed through this gateway since it started, and those that you name. " +
  "The engine has no list: a node halted in another way is missing until you name it.";

/** The trading state of everything, the nodes that are looked at, and what halts and resumes them. */
export class TradingPanel extends Panel {
  readonly #parts: Parts;
  readonly #nodes: Nodes;
  readonly #root: Reading<TradingState>;
  readonly #state = element("p", { className: "state" });
  readonly #reason = element("p", { className: "reason" });
  readonly #pill = byId("pill");
  readonly #haltAll = byId("halt-all") as HTMLButtonElement;
  readonly #resume: HTMLButtonElement;
  readonly #haltNode: HTMLButtonElement;
  readonly #table: DataTable<NodeState>;

  constructor(parts: Parts, root: Reading<TradingState>, nodes: Nodes) {
    super("trading", parts.polling);
    const { access, desk } = parts;
    this.#parts = parts;
    this.#root = root;
    this.#nodes = nodes;
    this.#resume = access.button("Resume trading", "resumeTrading", () => void desk.ask(resume("")));
    this.#haltNode = access.button("Halt a node", "haltTrading", () => void desk.askHalt(undefined));
    this.#haltNode.classList.add("stop");
    access.guard(this.#haltAll, "haltTrading", () => void desk.askHalt(""));
    this.#table = new DataTable("Nodes", ({ path }) => path);
    this.#table.columns = this.#columns();
    const words = element("div", { className: "state-words" }, [this.#state, this.#reason]);
    const actions = element("div", { className: "state-actions" }, [this.#resume, this.#haltNode]);
    const summary = element("div", { className: "state-row" }, [words, actions]);
    const known = element("p", { className: "count" }, [KNOWN]);
    this.body.append(summary, this.#table.scroller, known, this.#lookForm());
    this.follow(root, { periodMs: () => ROOT_MS, wanted: () => true, first: true });
    root.onChange(() => this.show());
  }

  /** Shows what was read. */
  override show(): void {
    const { access } = this.#parts;
    this.note(access.note("haltTrading", "halt or resume trading"));
    for (const button of [this.#haltAll, this.#haltNode]) access.mark(button, "haltTrading");
    access.mark(this.#resume, "resumeTrading");
    this.#showRoot();
    const nodes = this.#nodes.all.toSorted(haltedFirst);
    this.#table.rows = nodes;
    this.#table.scroller.hidden = nodes.length === 0;
  }

  override showAge(now: number, absent: Absent): void {
    super.showAge(now, absent);
    this.#table.refresh();
  }

  #showRoot(): void {
    const { value, failure } = this.#root;
    const halted = this.#nodes.halted.length;
    const word = value === undefined ? "unknown" : value.halted ? "halted" : "running";
    const isOld = failure !== undefined && value !== undefined;
    const isPartly = word === "running" && halted > 0;
    const words = `${WORDS[word]}${isPartly ? `, ${halted} ${halted === 1 ? "node" : "nodes"} halted` : ""}`;
    const shownWords = isOld ? `Last seen: ${words}` : words;
    setText(this.#reason, value?.reason == null ? "" : `Last reason: ${value.reason}`);
    for (const shown of [this.#state, this.#pill]) {
      setText(shown, shownWords);
      shown.dataset.state = isPartly || (isOld && word === "running") ? "partly" : word;
      shown.classList.toggle("old", isOld);
    }
    this.#resume.classList.toggle("change", value?.halted === true);
  }

  #columns(): TableColumn<NodeState>[] {
    return [
      {
        title: "State",
        kind: "text",
        show: (cell, { reading }) => {
          setText(cell, stateOf(reading, this.#root.failure ?? reading.failure));
          cell.dataset.state = reading.value?.halted ? "halted" : "";
        },
      },
      textColumn("Node", ({ path }) => path, { kind: "name" }),
      textColumn("Reason", ({ reading }) => reasonOf(reading)),
      textColumn("Read", ({ reading }) => (reading.readAt === undefined ? "" : ago(Date.now() - reading.readAt))),
      { title: "Commands", kind: "commands", show: (cell, node) => this.#showActions(cell, node) },
    ];
  }

  #showActions(cell: HTMLElement, { path, reading }: NodeState): void {
    const { access, desk } = this.#parts;
    if (cell.childElementCount === 0) {
      const halt = access.button("Halt", "haltTrading", () => void desk.askHalt(path));
      halt.classList.add("stop");
      const resuming = access.button("Resume", "resumeTrading", () => void desk.ask(resume(path)));
      const hide = element("button", { type: "button", className: "quiet" }, ["Hide"]);
      hide.onclick = () => this.#nodes.hide(path);
      cell.append(halt, resuming, hide);
      describeButtons(cell, path);
    }
    const [halt, resuming, hide] = cell.querySelectorAll("button");
    if (!halt || !resuming || !hide) return;
    const isHalted = reading.value?.halted === true;
    halt.hidden = isHalted;
    resuming.hidden = !isHalted;
    hide.hidden = isHalted;
    access.mark(halt, "haltTrading");
    access.mark(resuming, "resumeTrading");
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

function haltedFirst(left: NodeState, right: NodeState): number {
  const rank = ({ reading }: NodeState): number => (reading.value?.halted ? 0 : 1);
  return rank(left) - rank(right) || left.path.localeCompare(right.path, "en");
}

/** What a read that fails now, of this node or of everything, makes a thing of the past. */
function stateOf({ value }: Reading<TradingState>, failure: unknown): string {
  if (value === undefined) return "not known";
  return `${failure === undefined ? "" : "was "}${value.halted ? "halted" : "not halted"}`;
}

/** Why a node was halted or resumed, or why its state is not known; who is absent is said at the top of the page. */
function reasonOf({ value, failure }: Reading<TradingState>): string {
  return failure === undefined || absentOf(failure) !== undefined ? (value?.reason ?? "") : failureText(failure);
}
