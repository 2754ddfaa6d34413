import { groupDigits } from "../../core/values/decimal-text.ts";
import { element, nextTask } from "../../pages/dom.ts";
import { headCell, type TableColumn } from "./columns.ts";
import { Fold, type FoldedRows } from "./fold.ts";
import { copyExact } from "./numbers.ts";
import { inOrder, nextOrder, orderInText } from "./row-order.ts";
import { place, spacer, stretch } from "./row-places.ts";
import { type Searched, TableView } from "./table-view.ts";

/** Up to this many rows are all there, each as high as its texts; of more, only those in sight are, and they have one height. */
const MAX_UNDIVIDED = 100;
/** Rows beyond the visible ones that are there, so that scrolling shows no gaps. */
const MARGIN = 12;
/** Texts of more characters may break. */
const LONG = 20;
/** Whether rows are for fingers, as the style sheet says. */
const COARSE = matchMedia("(pointer: coarse), (max-width: 700px)");

export interface TableOptions<Row> {
  /** Name of the table in the address of the page. */
  readonly id: string;
  /** Names the table for screen readers. */
  readonly label: string;
  /** Identity of a row, the same when it is read again. */
  readonly keyOf: (row: Row) => string;
  /** Texts that a filter is compared with. */
  readonly searchedIn: (row: Row) => Searched;
  /** The order at the beginning, as the address has it; without it they are as the engine has them. */
  readonly orderedBy?: string;
  /** Which rows wait behind a button on a phone; none where this is absent. */
  readonly folded?: FoldedRows<Row>;
}

/**
 * A table that holds only the rows that can be seen, so that ten thousand cost no more than fifty. Rows keep their elements, and so
 * the focus, while their keys stay the same.
 */
export class DataTable<Row> {
  readonly scroller: HTMLElement;
  readonly #head = element("tr");
  readonly #body = element("tbody");
  readonly #foot = element("tr");
  readonly #table: HTMLTableElement;
  readonly #options: TableOptions<Row>;
  readonly #view: TableView;
  readonly #fold: Fold<Row>;
  readonly #before = spacer();
  readonly #after = spacer();
  #all: readonly TableColumn<Row>[] = [];
  #columns: readonly TableColumn<Row>[] = [];
  /** Of the columns that are not always needed those that have something to show. */
  #needed: ReadonlySet<TableColumn<Row>> = new Set();
  /** Undefined before they are read for the first time. */
  #rows: readonly Row[] | undefined;
  #filtered: readonly Row[] = [];
  #sorted: readonly Row[] = [];
  #shown = new Map<string, HTMLTableRowElement>();
  #isDue = false;
  // As the browser's observer reported them: asking for them after a change would make it lay out the page immediately, for each table.
  #width = 0;
  #tableWidth = 0;
  /** Where it begins below the top of the window. */
  #top = 0;

  /** Called when the operator looks at the rows in another way: they are to be given again. */
  onView: () => void = () => {};

  constructor(options: TableOptions<Row>) {
    const { id, label, orderedBy, folded } = options;
    this.#options = options;
    this.#view = new TableView(id, label, orderInText(orderedBy ?? ""));
    this.#view.onChange = () => this.#look();
    this.#fold = new Fold(folded, () => this.#look());
    const head = element("thead", { className: "table-edge" }, [this.#head]);
    const foot = element("tfoot", { className: "table-edge" }, [this.#foot]);
    this.#table = element("table", { hidden: true }, [head, this.#body, foot]);
    this.#table.setAttribute("aria-label", label);
    this.scroller = element("div", { className: "scroller", tabIndex: 0 }, [this.#table, this.#fold.button]);
    this.scroller.setAttribute("role", "group");
    this.scroller.setAttribute("aria-label", `${label}, scrollable`);
    this.#table.oncopy = copyExact;
    this.#follow();
  }

  #follow(): void {
    const moved = (): void => {
      if (this.#needsPlace) this.#later();
    };
    for (const event of ["scroll", "resize"]) addEventListener(event, moved, { passive: true });
    // What is above it may have become higher.
    new ResizeObserver(moved).observe(document.body);
    new ResizeObserver(([entry]) => {
      this.#width = entry?.contentRect.width ?? 0;
      this.#later();
    }).observe(this.scroller);
    new ResizeObserver(([entry]) => {
      this.#tableWidth = entry?.contentRect.width ?? 0;
      this.#later();
    }).observe(this.#table);
  }

  /** The field that filters the rows, and the part of the page in which columns are hidden. */
  get tools(): readonly HTMLElement[] {
    return [this.#view.filter, this.#view.choice];
  }

  /** The rows that the filter lets through. */
  get filtered(): readonly Row[] {
    return this.#filtered;
  }

  /** How many rows the filter lets through; empty while it lets all through. Where nothing was read yet, it says so. */
  get countWords(): string {
    if (this.#rows === undefined) return "Not read yet";
    const [shown, all] = [this.#filtered.length, this.#rows.length];
    if (shown === all) return "";
    const of = groupDigits(String(all));
    return shown === 0 ? `None of ${of} matches the filter` : `${groupDigits(String(shown))} of ${of} shown`;
  }

  set columns(columns: readonly TableColumn<Row>[]) {
    if (columns !== this.#all) this.#view.offer(columns);
    this.#all = columns;
    this.#columns = this.#view.shown(columns);
    for (const row of this.#shown.values()) row.remove();
    this.#shown.clear();
    this.#showHead();
  }

  set rows(rows: readonly Row[] | undefined) {
    this.#rows = rows;
    this.#filtered = this.#view.filtered(rows ?? [], this.#options.searchedIn);
    this.#table.setAttribute("aria-rowcount", String(this.#filtered.length + 1));
    const visible = this.#fold.visible(this.#filtered, this.#view.isFiltered);
    this.#sorted = inOrder(visible, this.#columns, this.#view.order);
    this.#needed = new Set(this.#all.filter(({ isNeeded }) => isNeeded && rows?.some(isNeeded)));
    this.#hideUnneeded(this.#head);
    this.#table.hidden = rows === undefined || (visible.length === 0 && this.#filtered.length > 0);
    this.#show();
    void this.#showTotals(this.#filtered);
  }

  /** Shows the rows again, for what has changed beside them, such as the time. */
  refresh(): void {
    this.#show();
  }

  #look(): void {
    const columns = this.#view.shown(this.#all);
    if (columns.length !== this.#columns.length) this.columns = this.#all;
    else this.#showHead();
    this.onView();
  }

  #showHead(): void {
    const { order } = this.#view;
    this.#head.replaceChildren(...this.#columns.map((column) => headCell(column, order, () => this.#sortBy(column))));
    this.#hideUnneeded(this.#head);
  }

  /** Keeps the cells of a column that has nothing to show: one that came and went would take the focus from its row. */
  #hideUnneeded(row: HTMLTableRowElement): void {
    for (const [at, column] of this.#columns.entries()) {
      const cell = row.cells[at];
      if (cell && column.isNeeded) cell.hidden = !this.#needed.has(column);
    }
  }

  #sortBy(column: TableColumn<Row>): void {
    this.#view.order = nextOrder(column, this.#view.order, this.#view.beginning);
    this.#head.cells[this.#columns.indexOf(column)]?.querySelector("button")?.focus();
  }

  /** One total after the other: all together would keep the page from scrolling. */
  async #showTotals(rows: readonly Row[]): Promise<void> {
    const cells: HTMLTableCellElement[] = [];
    if (rows.length > 0 && this.#columns.some(({ total }) => total)) {
      for (const { kind, title, total } of this.#columns) {
        if (total) await nextTask();
        if (rows !== this.#filtered) return;
        const cell = element("td", { className: kind });
        cell.dataset.title = title;
        total?.(cell, rows);
        cells.push(cell);
      }
    }
    this.#foot.replaceChildren(...(cells.some(({ textContent }) => textContent !== "") ? cells : []));
  }

  #later(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (this.#needsPlace) this.#top = this.scroller.getBoundingClientRect().top;
      this.#show();
    });
  }

  #show(): void {
    // As the style sheet has it.
    const rowPx = COARSE.matches ? 48 : 30;
    const isWhole = this.#isWhole();
    this.#table.classList.toggle("whole", isWhole);
    this.scroller.classList.toggle("fits", this.#fits);
    // Where it moves sideways in its box, the page does not hold its titles.
    this.#head.style.setProperty("--begin", `${this.#top}px`);
    const [first, last] = isWhole ? [0, this.#sorted.length] : this.#inSight(rowPx);
    const rows = this.#sorted.slice(first, last).map((row, index) => this.#rowOf(row, first + index));
    const kept = new Set(rows);
    for (const [key, row] of this.#shown) {
      if (kept.has(row)) continue;
      row.remove();
      this.#shown.delete(key);
    }
    stretch(this.#before, first * rowPx, this.#columns.length);
    stretch(this.#after, (this.#sorted.length - last) * rowPx, this.#columns.length);
    place(this.#body, [this.#before, ...rows, this.#after]);
  }

  /** Whether what is shown depends on where in the window it is. */
  get #needsPlace(): boolean {
    return !this.#isWhole() || !this.#fits;
  }

  get #fits(): boolean {
    return Math.floor(this.#tableWidth) <= this.#width;
  }

  #isWhole(): boolean {
    return this.#sorted.length <= MAX_UNDIVIDED;
  }

  /** The first of the rows that are there, and the one behind the last: those in the window, and some more. */
  #inSight(rowPx: number): [first: number, last: number] {
    const fitting = Math.ceil(innerHeight / rowPx);
    // Of a list that has become shorter, the end is in sight.
    const top = Math.min(Math.max(0, Math.floor(-this.#top / rowPx)), Math.max(0, this.#sorted.length - fitting));
    return [Math.max(0, top - MARGIN), Math.min(this.#sorted.length, top + fitting + 1 + MARGIN)];
  }

  #rowOf(row: Row, index: number): HTMLTableRowElement {
    const key = this.#options.keyOf(row);
    const shown = this.#shown.get(key) ?? this.#newRow(key);
    shown.setAttribute("aria-rowindex", String(index + 2));
    shown.classList.toggle("odd", index % 2 === 1);
    this.#hideUnneeded(shown);
    for (const [at, column] of this.#columns.entries()) {
      const cell = shown.cells[at];
      if (!cell) continue;
      column.show(cell, row);
      if (column.kind === "name" || column.kind === "text") this.#fit(cell, cell.textContent ?? "");
    }
    return shown;
  }

  /** A long text breaks where all rows are there, and else ends where there is no more room. */
  #fit(cell: HTMLElement, text: string): void {
    const isLong = text.length > LONG;
    cell.classList.toggle("long", isLong);
    cell.title = isLong && !this.#isWhole() ? text : "";
  }

  #newRow(key: string): HTMLTableRowElement {
    const cells = this.#columns.map(({ kind, title }) => {
      const isName = kind === "name";
      const cell = element(isName ? "th" : "td", { className: kind, ...(isName && { scope: "row" }) });
      cell.dataset.title = title;
      return cell;
    });
    const row = element("tr", {}, cells);
    this.#shown.set(key, row);
    return row;
  }
}
