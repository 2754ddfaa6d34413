import { element } from "../../pages/dom.ts";

/** Takes the place of rows that are not there. */
export function spacer(): HTMLTableRowElement {
  const row = element("tr", { className: "spacer" }, [element("td")]);
  row.setAttribute("aria-hidden", "true");
  return row;
}

/** Gives a spacer the height of the rows that are not there. */
export function stretch(row: HTMLTableRowElement, height: number, columns: number): void {
  const [cell] = row.cells;
  row.hidden = height === 0;
  if (!cell) return;
  cell.colSpan = Math.max(1, columns);
  cell.style.height = `${height}px`;
}

/** Brings rows into their order, and moves only those that are elsewhere; what is moved would lose the focus. */
export function place(body: HTMLTableSectionElement, rows: readonly HTMLTableRowElement[]): void {
  const focused = document.activeElement;
  let next = body.firstElementChild;
  for (const row of rows) {
    if (row === next) next = next.nextElementSibling;
    else body.insertBefore(row, next);
  }
  if (focused === document.activeElement || !(focused instanceof HTMLElement)) return;
  if (body.contains(focused)) focused.focus({ preventScroll: true });
}
