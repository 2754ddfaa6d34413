import { groupDigits } from "../../core/values/decimal-text.ts";
import { element, setText } from "../../pages/dom.ts";

/** Rows that wait behind a button on a phone. */
export interface FoldedRows<Row> {
  /** What they are, behind their number: "7 running". */
  readonly words: string;
  /** Whether a row needs nobody's attention. */
  readonly isFine: (row: Row) => boolean;
}

/** As the style sheet has it. */
export const PHONE = matchMedia("(max-width: 700px)");

/** On a phone, what is as it should be is behind a button that says how much of it there is: nobody has to scroll past it to what is not. */
export class Fold<Row> {
  readonly #rows: FoldedRows<Row> | undefined;
  readonly button = element("button", { type: "button", className: "fold", hidden: true });
  #isOpen = false;

  /** `show` is called when other rows are to be there. */
  constructor(rows: FoldedRows<Row> | undefined, show: () => void) {
    this.#rows = rows;
    PHONE.addEventListener("change", show);
    this.button.onclick = () => {
      this.#isOpen = !this.#isOpen;
      show();
    };
  }

  /** Of all rows those that are there: whoever filters looks for one. */
  visible(all: readonly Row[], isFiltered: boolean): readonly Row[] {
    const { words = "", isFine } = this.#rows ?? {};
    const others = isFine && PHONE.matches && !isFiltered ? all.filter((row) => !isFine(row)) : all;
    const folded = all.length - others.length;
    this.button.hidden = folded === 0;
    this.button.setAttribute("aria-expanded", String(this.#isOpen));
    setText(this.button, `${this.#isOpen ? "Hide" : "Show"} ${groupDigits(String(folded))} ${words}`);
    return this.#isOpen ? all : others;
  }
}
