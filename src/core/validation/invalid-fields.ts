import { unicodeEscape } from "../values/basics.ts";

/** Fields that are named; the others are counted. */
const MAX_NAMED = 5;

/** Characters of a name that an engine has chosen. */
const MAX_NAME = 60;

export interface InvalidField {
  /** Names that the row has; empty where it has none, or where there are no rows. */
  readonly row: string;
  /** Empty where the row is not an object. */
  readonly field: string;
  /** Replacement in the output. */
  readonly shown: "null" | "left out" | "row left out";
}

/** Fields of one reply that break the contract and are not shown: the first few by name, all by number. */
export class InvalidFields {
  readonly #named: string[] = [];
  #count = 0;
  #rowsLeftOut = 0;

  get count(): number {
    return this.#count;
  }

  get rowsLeftOut(): number {
    return this.#rowsLeftOut;
  }

  /** Adds a field; `describe` is called for the first few only. */
  add(shown: InvalidField["shown"], describe: () => Omit<InvalidField, "shown">): void {
    this.#count += 1;
    if (shown === "row left out") this.#rowsLeftOut += 1;
    if (this.#named.length < MAX_NAMED) this.#named.push(named({ ...describe(), shown }));
  }

  /** In one line of printable ASCII characters, as a header may hold it: names are the engine's. */
  get message(): string {
    const others = this.#count - this.#named.length;
    const more = others > 0 ? `, and ${others} more` : "";
    return `The engine's reply breaks the contract: ${this.#named.join(", ")}${more}`;
  }
}

function named({ row, field, shown }: InvalidField): string {
  const whose = row === "" ? "" : ` of ${printable(row)}`;
  return `${field === "" ? "a row" : printable(field)}${whose} (${shown})`;
}

/** A name, shortened, its other characters as JSON writes them. */
function printable(name: string): string {
  const escaped = name.slice(0, MAX_NAME).replace(/[^ -~]/g, unicodeEscape);
  return name.length <= MAX_NAME && escaped.length <= MAX_NAME ? escaped : `${escaped.slice(0, MAX_NAME)}...`;
}
