import type { ConfirmedOperation } from "../../client/confirm.ts";
import type { Input, OperationName } from "../../core/operations/table.ts";
import { element, nextId, setBreakable, setText } from "../../pages/dom.ts";
import type { Access } from "./access.ts";
import type { CommandDesk } from "./command-desk.ts";
import { pageCommand } from "./commands.ts";

/** One column of a table. */
export interface TableColumn<Row> {
  readonly title: string;
  /** The column of kind "name" says which row it is; that and "text" may be long and wrap, "word" does not. */
  readonly kind: "name" | "text" | "word" | "number" | "commands";
  /** Fills a cell; called again when its row has been read again. */
  show(cell: HTMLElement, row: Row): void;
  /** The decimal in this column; rows can be sorted by it then. */
  decimal?(row: Row): string | null;
  /** What stands below the column for all rows together. */
  total?(rows: readonly Row[]): string;
}

/** A column whose cells are text. */
export function textColumn<Row>(
  title: string,
  textOf: (row: Row) => string,
  more: Partial<TableColumn<Row>> = {},
): TableColumn<Row> {
  return { title, kind: "text", show: (cell, row) => setText(cell, textOf(row)), ...more };
}

/** How the thing of a row is, and so which colour it has. */
export interface RowState {
  readonly words: string;
  readonly tone: "halted" | "partly" | "";
}

/** The column that says how the thing of a row is. */
export function stateColumn<Row>(stateOf: (row: Row) => RowState): TableColumn<Row> {
  const show = (cell: HTMLElement, row: Row): void => {
    const { words, tone } = stateOf(row);
    setText(cell, words);
    cell.dataset.state = tone;
  };
  return { title: "State", kind: "word", show };
}

/** The column that says which row it is, by a name that may be a path. */
export function nameColumn<Row>(title: string, nameOf: (row: Row) => string): TableColumn<Row> {
  return { title, kind: "name", show: (cell, row) => setBreakable(cell, nameOf(row)) };
}

/** A button in each row. */
export interface RowCommand<Row> {
  readonly label: string;
  /** What the user needs the permission for; undefined for what concerns the page alone. */
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

/** The column with the buttons of each row; `nameOf` says which row they belong to. */
export function commandsColumn<Row>(
  access: Access,
  nameOf: (row: Row) => string,
  commands: readonly RowCommand<Row>[],
): TableColumn<Row> {
  const show = (cell: HTMLElement, row: Row): void => {
    if (cell.childElementCount === 0) addButtons(cell, nameOf(row), commands);
    const buttons = [...cell.querySelectorAll("button")];
    const focused = buttons.find((button) => button === document.activeElement);
    for (const [at, { operation, isOffered, open }] of commands.entries()) {
      const button = buttons[at];
      if (!button) continue;
      button.hidden = !isOffered(row);
      if (operation) access.guard(button, operation, () => open(row));
      else button.onclick = () => open(row);
    }
    // Who has disabled something by keyboard is beside what enables it.
    if (focused?.hidden) buttons.find(({ hidden }) => !hidden)?.focus();
  };
  return { title: "Commands", kind: "commands", show };
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
