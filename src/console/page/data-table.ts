import { groupDigits } from "../../core/values/decimal-text.ts";
import { element, nextId, nextTask, setText } from "../../pages/dom.ts";
import { headCell, type TableColumn } from "./columns.ts";
import { Fold, type FoldedRows } from "./fold.ts";
import { copyExact } from "./numbers.ts";
import { inOrder, nextOrder, orderInText } from "./row-order.ts";
import { place, sightWords, spacer, stretch } from "./row-places.ts";
import { type Searched, TableView } from "./table-view.ts";

/** Up to this many rows are all there, each as high as its texts; of more, only those in sight are, and they have one height. */
const MAX_UNDIVIDED = 100;
/** Rows beyond the visible ones that are there, so that scrolling shows no gaps. */
const MARGIN = 12;
/** Texts of more characters may break. */
const LONG = 20;
/** Whether rows are for fingers, as the style sheet says. */
const COARSE = matchMedia("(pointer: coarse), (max-width: 700px)");
/** Height of the titles, as the style sheet has it. */
const HEAD_PX = 30;
/** Height of the visible part until the browser has measured it. */
const UNMEASURED_PX = 600;

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
  /** Which rows are in sight, below the box that they scroll in. */
  readonly sight = element("p", { className: "sight", id: nextId() });
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
  /** Undefined before they are read for the first time. */
  #rows: readonly Row[] | undefined;
  #filtered: readonly Row[] = [];
  #sorted: readonly Row[] = [];
  #shown = new Map<string, HTMLTableRowElement>();
  #isDue = false;
  // As the browser's observer reported them: asking for them after a change would make it lay out the page immediately, for each table.
  #scrollTop = 0;
  #height = UNMEASURED_PX;
  #width = 0;
  #tableWidth = 0;

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
    this.scroller.setAttribute("aria-describedby", this.sight.id);
    this.#table.oncopy = copyExact;
    this.#follow();
  }

  #follow(): void {
    const scrolled = (): void => {
      this.#scrollTop = this.scroller.scrollTop;
      this.#later();
    };
    this.scroller.addEventListener("scroll", scrolled, { passive: true });
    new ResizeObserver(([entry]) => {
      this.#height = entry?.contentRect.height ?? UNMEASURED_PX;
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
      this.#show();
    });
  }

  #show(): void {
    // As the style sheet has it.
    const rowPx = COARSE.matches ? 48 : 30;
    const isWhole = this.#isWhole();
    this.#table.classList.toggle("whole", isWhole);
    // What needs no box to scroll in has its titles at the top of the page's own.
    this.scroller.classList.toggle("fits", isWhole && Math.floor(this.#tableWidth) <= this.#width);
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
    this.#showSight(rowPx);
  }

  /** A box that scrolls must not look like a list that ends there. */
  #showSight(rowPx: number): void {
    // Titles, and totals where there are some, lie above the rows.
    const room = this.#height - HEAD_PX - (this.#foot.cells.length > 0 ? rowPx : 0);
    const seen = { top: this.#scrollTop / rowPx, room: room / rowPx, all: this.#sorted.length };
    setText(this.sight, this.#isWhole() ? "" : sightWords(seen));
    this.sight.classList.toggle("end", seen.top + seen.room >= seen.all);
  }

  #isWhole(): boolean {
    return this.#sorted.length <= MAX_UNDIVIDED;
  }

  /** The first of the rows that are there, and the one behind the last. */
  #inSight(rowPx: number): [first: number, last: number] {
    const fitting = Math.ceil(this.#height / rowPx);
    // Of a list that has become shorter, the end is in sight.
    const top = Math.min(Math.floor(this.#scrollTop / rowPx), Math.max(0, this.#sorted.length - fitting));
    return [Math.max(0, top - MARGIN), Math.min(this.#sorted.length, top + fitting + 1 + MARGIN)];
  }

  #rowOf(row: Row, index: number): HTMLTableRowElement {
    const key = this.#options.keyOf(row);
    const shown = this.#shown.get(key) ?? this.#newRow(key);
    shown.setAttribute("aria-rowindex", String(index + 2));
    shown.classList.toggle("odd", index % 2 === 1);
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
