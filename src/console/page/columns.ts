import type { ConfirmedOperation } from "../../client/shown.ts";
import type { Input, OperationName } from "../../core/operations/table.ts";
import { element, nextId, setBreakable, setText } from "../../pages/dom.ts";
import type { Access } from "./access.ts";
import type { CommandDesk } from "./command-desk.ts";
import { pageCommand } from "./commands.ts";
import { SIZE, showDecimal } from "./numbers.ts";
import { type Ascending, byNumber, byText, type RowOrder } from "./row-order.ts";

export interface TableColumn<Row> {
  /** Its name in the address of the page. */
  readonly id: string;
  readonly title: string;
  /** The column of kind "name" says which row it is; that and "text" may be long and wrap, "word" does not. */
  readonly kind: "name" | "text" | "word" | "number" | "commands";
  /** Fills a cell; called again when its row has been read again. */
  show(cell: HTMLElement, row: Row): void;
  /** Whether it says how the thing of a row is. */
  readonly isState?: boolean;
  /** Whether it has something for a row; the column takes no room where it has nothing for any. */
  readonly isNeeded?: (row: Row) => boolean;
  /** Rows in ascending order of this column; without it, they cannot be sorted by it. */
  readonly ascending?: Ascending<Row>;
  /** Fills the cell below the column with what all rows together are; leaves it empty where there is no such thing. */
  total?(cell: HTMLElement, rows: readonly Row[]): void;
}

function idOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

export function textColumn<Row>(
  title: string,
  textOf: (row: Row) => string,
  more: Partial<TableColumn<Row>> = {},
): TableColumn<Row> {
  const show = (cell: HTMLElement, row: Row): void => setText(cell, textOf(row));
  return { id: idOf(title), title, kind: "text", show, ascending: byText(textOf), ...more };
}

/** A column of numbers that name something, such as ports, and are not grouped; null where there is none. */
export function codeColumn<Row>(title: string, countOf: (row: Row) => number | null): TableColumn<Row> {
  const ascending = byNumber((row: Row) => countOf(row) ?? Number.NEGATIVE_INFINITY);
  return textColumn(title, (row) => String(countOf(row) ?? ""), { kind: "number", ascending });
}

/** A column of counts; null where there is none. */
export function countColumn<Row>(title: string, countOf: (row: Row) => number | null): TableColumn<Row> {
  const show = (cell: HTMLElement, row: Row): void => showDecimal(cell, countOf(row)?.toString() ?? null, SIZE, "");
  return { ...codeColumn(title, countOf), show };
}

/** How the thing of a row is, and so which colour and symbol it has. */
export interface RowState {
  readonly words: string;
  readonly tone: "halted" | "partly" | "running" | "unknown" | "none";
  /** Where it comes from, if from something above: those that are so themselves must be found among many. */
  readonly from?: string;
}

/** The symbol of each state: nobody has to tell red from green. The worst comes first. */
const SYMBOLS: Readonly<Record<RowState["tone"], string>> = {
  halted: "■",
  partly: "▲",
  unknown: "?",
  running: "●",
  none: "–",
};
const WORST_FIRST = Object.keys(SYMBOLS);

/** Shows a state as its symbol and words. */
function showState(place: HTMLElement, { words, tone, from = "" }: RowState): void {
  if (place.childElementCount === 0) {
    const symbol = element("span", { className: "symbol" });
    symbol.setAttribute("aria-hidden", "true");
    place.append(symbol, element("span"));
  }
  const [symbol, text] = place.children;
  if (symbol) setText(symbol, SYMBOLS[tone]);
  const origin = from === "" ? [] : [element("span", { className: "from" }, [` ${from}`])];
  const shown = element("span", {}, [words, ...origin]);
  if (text?.textContent !== shown.textContent) text?.replaceWith(shown);
  place.dataset.state = tone;
  place.title = from;
  place.classList.toggle("inherited", from !== "");
}

/** The column that says how the thing of a row is; in ascending order the worst comes first. */
export function stateColumn<Row>(stateOf: (row: Row) => RowState, title = "State"): TableColumn<Row> {
  const show = (cell: HTMLElement, row: Row): void => showState(cell, stateOf(row));
  const ascending = byNumber((row: Row) => WORST_FIRST.indexOf(stateOf(row).tone));
  return { id: "state", title, kind: "word", isState: true, show, ascending };
}

/** The column that says which row it is, by a name that may be a path. */
export function nameColumn<Row>(title: string, nameOf: (row: Row) => string): TableColumn<Row> {
  return textColumn(title, nameOf, { kind: "name", show: (cell, row) => setBreakable(cell, nameOf(row)) });
}

/** A button in each row. */
export interface RowCommand<Row> {
  readonly label: string;
  /** Operation that the user needs the permission for; undefined for a command of the page alone. */
  readonly operation?: OperationName;
  isOffered(row: Row): boolean;
  open(row: Row): void;
}

/** A button for a command of an operation, whose first word is on it; `inputOf` says what it is for. */
export function rowCommand<Row, K extends ConfirmedOperation>(
  desk: CommandDesk,
  operation: K,
  inputOf: (row: Row) => Input<K>,
  isOffered: (row: Row) => boolean,
): RowCommand<Row> {
  const verb = operation.replace(/[A-Z].*/, "");
  const label = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  return { label, operation, isOffered, open: (row) => desk.ask(pageCommand(operation, inputOf(row))) };
}

/** The column with the buttons of each row; `nameOf` says which row they belong to, `stateOf` what stands there instead of buttons. */
export function commandsColumn<Row>(
  access: Access,
  nameOf: (row: Row) => string,
  commands: readonly RowCommand<Row>[],
  stateOf: (row: Row) => RowState | undefined = () => undefined,
): TableColumn<Row> {
  const show = (cell: HTMLElement, row: Row): void => {
    if (cell.childElementCount === 0) addButtons(cell, nameOf(row), commands);
    const focused = document.activeElement;
    const hadFocus = cell.contains(focused);
    const state = showInstead(cell, stateOf(row));
    const buttons = [...cell.querySelectorAll("button")];
    for (const [at, { operation, isOffered, open }] of commands.entries()) {
      const button = buttons[at];
      if (!button) continue;
      button.hidden = !isOffered(row);
      if (operation) access.guard(button, operation, () => open(row));
      else button.onclick = () => open(row);
    }
    // Who has disabled something by keyboard is beside what enables it.
    const isGone = hadFocus && focused instanceof HTMLElement && (focused.hidden || !focused.isConnected);
    if (isGone) (buttons.find(({ hidden }) => !hidden) ?? state)?.focus();
  };
  return { id: "commands", title: "Commands", kind: "commands", show };
}

function showInstead(cell: HTMLElement, state: RowState | undefined): HTMLElement | undefined {
  const shown = cell.querySelector<HTMLElement>("[data-state]");
  if (!state) {
    shown?.remove();
    return undefined;
  }
  const place = shown ?? element("span", { tabIndex: -1 });
  showState(place, state);
  if (!shown) cell.prepend(place);
  return place;
}

function addButtons<Row>(cell: HTMLElement, name: string, commands: readonly RowCommand<Row>[]): void {
  const description = element("span", { className: "unseen", id: nextId() }, [name]);
  for (const { label, operation } of commands) {
    const className = operation === undefined ? "quiet" : /^(?:halt|dis)/.test(operation) ? "stop" : "";
    const button = element("button", { type: "button", className }, [label]);
    button.setAttribute("aria-describedby", description.id);
    cell.append(button);
  }
  cell.append(description);
}

/** The cell above a column: its title, with which rows are sorted where they can be. */
export function headCell<Row>(
  { id, title, kind, ascending }: TableColumn<Row>,
  order: RowOrder | undefined,
  sort: () => void,
): HTMLElement {
  const cell = element("th", { className: kind, scope: "col" });
  if (!ascending) {
    cell.append(kind === "commands" ? element("span", { className: "unseen" }, [title]) : title);
    return cell;
  }
  cell.setAttribute("aria-sort", order?.column !== id ? "none" : order.descending ? "descending" : "ascending");
  const button = element("button", { type: "button", className: "sort" }, [title]);
  button.onclick = sort;
  cell.append(button);
  return cell;
}
