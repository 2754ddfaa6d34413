import type { Output } from "../../core/operations/table.ts";
import { byId, element, setText } from "../../pages/dom.ts";
import { type Absent, absentOf, failureText } from "../../pages/failure.ts";
import { ago } from "../../pages/time.ts";
import { commandsColumn, nameColumn, rowCommand, stateColumn, type TableColumn, textColumn } from "./columns.ts";
import { pageCommand } from "./commands.ts";
import { DataTable } from "./data-table.ts";
import type { NodeState, Nodes } from "./nodes.ts";
import { Panel, type Parts } from "./panel.ts";
import type { Reading } from "./reading.ts";
import { pathProblem } from "./scope-picker.ts";

type TradingState = Output<"getTradingStatus">;

const WORDS = {
  running: "Trading is running",
  halted: "All trading is halted",
  unknown: "The trading state is not known",
} as const;

const RESUME_ALL = pageCommand("resumeTrading", { projectionPath: "" });

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
    this.#resume = access.button("Resume trading", "resumeTrading", () => desk.ask(RESUME_ALL));
    this.#haltNode = access.button("Halt a node", "haltTrading", () => desk.askHalt(undefined));
    this.#haltNode.classList.add("stop");
    access.guard(this.#haltAll, "haltTrading", () => desk.askHalt(""));
    this.#table = new DataTable({
      id: "nodes",
      label: "Nodes",
      keyOf: ({ path }) => path,
      searchedIn: ({ path, reading: { value } }) => ({
        state: value?.halted ? "halted" : "running",
        text: `${path} ${value?.reason ?? ""}`,
      }),
      orderedBy: "state",
    });
    this.#table.onView = () => this.show();
    this.#table.columns = this.#columns();
    const actions = element("div", { className: "state-actions" }, [this.#resume, this.#haltNode]);
    const summary = element("div", { className: "state-row" }, [this.#state, actions]);
    const known = element("p", { className: "count" }, [KNOWN]);
    this.body.append(summary, this.#reason, this.#table.scroller, known, this.#lookForm());
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
    const nodes = this.#nodes.all.toSorted((left, right) => left.path.localeCompare(right.path, "en"));
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
      stateColumn(({ reading }) => ({
        words: stateOf(reading, this.#root.failure ?? reading.failure),
        tone: reading.value === undefined ? "unknown" : reading.value.halted ? "halted" : "running",
      })),
      nameColumn("Node", ({ path }) => path),
      textColumn("Reason", ({ reading }) => reasonOf(reading)),
      textColumn("Read", ({ reading }) => (reading.readAt === undefined ? "" : ago(Date.now() - reading.readAt)), {
        kind: "word",
      }),
      this.#commands(),
    ];
  }

  #commands(): TableColumn<NodeState> {
    const { access, desk } = this.#parts;
    const isHalted = ({ reading }: NodeState): boolean => reading.value?.halted === true;
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

/** What a read that fails now, of this node or of everything, makes a thing of the past. */
function stateOf({ value }: Reading<TradingState>, failure: unknown): string {
  if (value === undefined) return "not known";
  return `${failure === undefined ? "" : "was "}${value.halted ? "halted" : "not halted"}`;
}

/** Why a node was halted or resumed, or why its state is not known; who is absent is said at the top of the page. */
function reasonOf({ value, failure }: Reading<TradingState>): string {
  return failure === undefined || absentOf(failure) !== undefined ? (value?.reason ?? "") : failureText(failure);
}
