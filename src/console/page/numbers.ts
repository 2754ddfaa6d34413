import { groupDigits, isDecimalText, roundedDecimal } from "../../core/values/decimal-text.ts";
import { element, setText } from "../../pages/dom.ts";

/** Digits behind the point that a column shows; the exact value is at the pointer, in a copy, and what screen readers say. */
export interface Digits {
  readonly least: number;
  readonly most: number;
}

/** As many as there are, up to five: sizes are whole numbers in most markets. */
export const SIZE: Digits = { least: 0, most: 5 };
/** Prices of all markets that list currencies have at most five. */
export const PRICE: Digits = { least: 5, most: 5 };
export const MONEY: Digits = { least: 2, most: 2 };

/** A decimal as a column shows it: rounded half away from zero, thousands grouped. */
export function shortDecimal(text: string, { least, most }: Digits): string {
  const [whole = "", fraction = ""] = roundedDecimal(text, most).split(".");
  const digits = fraction.padEnd(least, "0");
  return groupDigits(digits === "" ? whole : `${whole}.${digits}`);
}

/** Shows a decimal in a cell; `none` stands for null, and what is not a decimal is shown as it is. */
export function showDecimal(cell: HTMLElement, value: string | null, digits: Digits, none = "–"): void {
  const isDecimal = isDecimalText(value);
  const short = value === null ? none : isDecimal ? shortDecimal(value, digits) : value;
  if (cell.dataset.exact === value && cell.dataset.short === short) return;
  cell.classList.toggle("faint", value === null || (isDecimal && /^[-+]?[0.]+$/.test(value)));
  if (value === null) {
    delete cell.dataset.exact;
    delete cell.dataset.short;
  } else Object.assign(cell.dataset, { exact: value, short });
  const isRounded = isDecimal && short.replaceAll(",", "") !== value;
  cell.title = isRounded ? (value ?? "") : "";
  if (isRounded)
    cell.replaceChildren(hiddenFromReaders(short), element("span", { className: "unseen" }, [value ?? ""]));
  else setText(cell, short);
}

function hiddenFromReaders(text: string): HTMLElement {
  const shown = element("span", {}, [text]);
  shown.setAttribute("aria-hidden", "true");
  return shown;
}

/** Puts exact values in place of short ones into what is copied of a table: a cell for itself, or rows as lines with tabs. */
export function copyExact(event: ClipboardEvent): void {
  const selection = getSelection();
  if (!selection || selection.rangeCount === 0 || !event.clipboardData) return;
  const range = selection.getRangeAt(0);
  const within = range.commonAncestorContainer;
  const cell = (within instanceof Element ? within : within.parentElement)?.closest<HTMLElement>("td, th");
  const text = cell ? exactOfCell(cell, String(selection)) : rowsOf(range.cloneContents());
  if (text === undefined || text === "") return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
}

/** A part of a number is ambiguous. */
function exactOfCell({ dataset }: HTMLElement, selected: string): string | undefined {
  return selected.trim().startsWith(dataset.short ?? " ") ? dataset.exact : undefined;
}

function rowsOf(copied: DocumentFragment): string {
  const rows = [...copied.querySelectorAll("tr:not(.spacer)")];
  return rows
    .map((row) =>
      [...row.querySelectorAll<HTMLElement>("td:not(.commands), th:not(.commands)")]
        .map(({ dataset, textContent }) => dataset.exact ?? textContent)
        .join("\t"),
    )
    .join("\n");
}
