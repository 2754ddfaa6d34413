import { sortedByDecimal } from "../../core/values/decimal-text.ts";
import { element } from "../../pages/dom.ts";
import type { TableColumn } from "./columns.ts";

/** So many rows are all there, each as high as its texts; of more, only those in sight are, and they have one height. */
const MOST_WHOLE = 100;
/** Rows beyond the visible ones that are there, so that scrolling shows no gaps. */
const MARGIN = 12;
/** Texts of more characters may break. */
const LONG = 20;
/** Whether rows are for fingers, as the style sheet says. */
const COARSE = matchMedia("(pointer: coarse), (max-width: 700px)");
/** Height of the visible part until the browser has measured it. */
const UNMEASURED_PX = 600;

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
  readonly #keyOf: (row: Row) => string;
  readonly #before = spacer();
  readonly #after = spacer();
  #columns: readonly TableColumn<Row>[] = [];
  #rows: readonly Row[] = [];
  #sorted: readonly Row[] = [];
  #order: { readonly title: string; readonly descending: boolean } | undefined;
  #shown = new Map<string, HTMLTableRowElement>();
  #isDue = false;
  // As the browser's observer reported them: asking for them after a change would make it lay out the page at once, for each table.
  #scrollTop = 0;
  #height = UNMEASURED_PX;

  /** `label` names the table for screen readers. */
  constructor(label: string, keyOf: (row: Row) => string) {
    this.#keyOf = keyOf;
    const head = element("thead", { className: "table-edge" }, [this.#head]);
    const foot = element("tfoot", { className: "table-edge" }, [this.#foot]);
    this.#table = element("table", {}, [head, this.#body, foot]);
    this.#table.setAttribute("aria-label", label);
    this.scroller = element("div", { className: "scroller", tabIndex: 0 }, [this.#table]);
    this.scroller.setAttribute("role", "group");
    this.scroller.setAttribute("aria-label", `${label}, scrollable`);
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
      this.#later();
    }).observe(this.scroller);
  }

  /** Shows other columns; the order goes back to that of the engine if its column is gone. */
  set columns(columns: readonly TableColumn<Row>[]) {
    this.#columns = columns;
    if (!columns.some(({ title }) => title === this.#order?.title)) this.#order = undefined;
    for (const row of this.#shown.values()) row.remove();
    this.#shown.clear();
    this.#showHead();
  }

  /** Shows other rows. */
  set rows(rows: readonly Row[]) {
    this.#rows = rows;
    this.#table.setAttribute("aria-rowcount", String(rows.length + 1));
    this.#sort();
    void this.#showTotals(rows);
  }

  /** Shows the rows again, for what has changed beside them. */
  refresh(): void {
    this.#show();
  }

  #sort(): void {
    const column = this.#columns.find(({ title }) => title === this.#order?.title);
    const decimalOf = column?.decimal;
    const sorted = decimalOf ? sortedByDecimal(this.#rows, decimalOf) : this.#rows;
    this.#sorted = this.#order?.descending ? sorted.toReversed() : sorted;
    this.#show();
  }

  #showHead(): void {
    this.#head.replaceChildren(...this.#columns.map((column) => this.#headCell(column)));
  }

  #headCell({ title, kind, decimal }: TableColumn<Row>): HTMLElement {
    const cell = element("th", { className: kind, scope: "col" });
    if (!decimal) {
      cell.append(kind === "commands" ? element("span", { className: "unseen" }, [title]) : title);
      return cell;
    }
    const isOrder = this.#order?.title === title;
    cell.setAttribute("aria-sort", isOrder ? (this.#order?.descending ? "descending" : "ascending") : "none");
    const button = element("button", { type: "button", className: "sort" }, [title]);
    button.onclick = () => this.#sortBy(title);
    cell.append(button);
    return cell;
  }

  /** Largest first, then smallest first, then as the engine has them. */
  #sortBy(title: string): void {
    const isOrder = this.#order?.title === title;
    if (!isOrder) this.#order = { title, descending: true };
    else this.#order = this.#order?.descending ? { title, descending: false } : undefined;
    this.#showHead();
    this.#sort();
    const index = this.#columns.findIndex((column) => column.title === title);
    this.#head.cells[index]?.querySelector("button")?.focus();
  }

  /** One total after the other: all at once would keep the page from scrolling. */
  async #showTotals(rows: readonly Row[]): Promise<void> {
    const cells: HTMLTableCellElement[] = [];
    if (rows.length > 0 && this.#columns.some(({ total }) => total)) {
      for (const { kind, total } of this.#columns) {
        if (total) await nextTask();
        if (rows !== this.#rows) return;
        cells.push(element("td", { className: kind }, [total?.(rows) ?? ""]));
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

  #isWhole(): boolean {
    return this.#sorted.length <= MOST_WHOLE;
  }

  /** The first of the rows that are there, and the one behind the last. */
  #inSight(rowPx: number): [first: number, last: number] {
    const fitting = Math.ceil(this.#height / rowPx);
    // Of a list that has become shorter, the end is in sight.
    const top = Math.min(Math.floor(this.#scrollTop / rowPx), Math.max(0, this.#sorted.length - fitting));
    return [Math.max(0, top - MARGIN), Math.min(this.#sorted.length, top + fitting + 1 + MARGIN)];
  }

  #rowOf(row: Row, index: number): HTMLTableRowElement {
    const key = this.#keyOf(row);
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

/** Lets the browser do something else first. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Takes the place of rows that are not there. */
function spacer(): HTMLTableRowElement {
  const row = element("tr", { className: "spacer" }, [element("td")]);
  row.setAttribute("aria-hidden", "true");
  return row;
}

function stretch(row: HTMLTableRowElement, height: number, columns: number): void {
  const [cell] = row.cells;
  row.hidden = height === 0;
  if (!cell) return;
  cell.colSpan = Math.max(1, columns);
  cell.style.height = `${height}px`;
}

/** Brings rows into their order, and moves only those that are elsewhere; what is moved would lose the focus. */
function place(body: HTMLTableSectionElement, rows: readonly HTMLTableRowElement[]): void {
  const focused = document.activeElement;
  let next = body.firstElementChild;
  for (const row of rows) {
    if (row === next) next = next.nextElementSibling;
    else body.insertBefore(row, next);
  }
  if (focused === document.activeElement || !(focused instanceof HTMLElement)) return;
  if (body.contains(focused)) focused.focus({ preventScroll: true });
}
