import type { CallOptions } from "../../client/client.ts";
import type { Output } from "../../core/operations/table.ts";
import { groupDigits } from "../../core/values/decimal-text.ts";
import { element, setText } from "../../pages/dom.ts";
import { type TableColumn, textColumn } from "./columns.ts";
import { DataTable } from "./data-table.ts";
import { Panel, type Parts, projectionChoice } from "./panel.ts";
import { Reading } from "./reading.ts";
import { remember, remembered } from "./remembered.ts";
import { byDecimal } from "./row-order.ts";

type RiskTable = Output<"getRiskTable">;
type Row = RiskTable["rows"][number];

const USUAL = ["", "Source", "Account", "Account/Symbol", "Trader/Symbol"];
const PERIOD_MS = 60_000;

/** One risk table. */
export class RiskPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<Row>({
    id: "risk",
    label: "Risk limits",
    keyOf: ({ conditions }) => JSON.stringify(conditions),
    searchedIn: ({ conditions }) => ({ text: Object.values(conditions).join(" ") }),
  });
  readonly #count = element("p", { className: "count" });
  readonly #reading: Reading<RiskTable>;
  #projection = remembered().risk ?? "Account/Symbol";
  #columns = "";

  constructor(parts: Parts) {
    super("risk", parts.polling);
    this.#parts = parts;
    this.#reading = new Reading((call) => this.#read(call));
    const choice = projectionChoice("Projection of risk limits", USUAL, this.#projection, (to) => this.#choose(to));
    this.#table.onView = () => this.show();
    this.tools.prepend(choice, this.#table.filter);
    this.body.append(this.#table.scroller, this.#count);
    this.#reading.onChange(() => this.show());
    this.follow(this.#reading, { periodMs: () => PERIOD_MS });
  }

  override show(): void {
    const rows = this.#reading.value?.rows ?? [];
    this.#showColumns(rows);
    this.#table.rows = rows;
    setText(this.#count, this.#table.countWords);
  }

  #read(call: CallOptions): Promise<RiskTable> {
    return this.#parts.api.client.getRiskTable({ projection: this.#projection }, call);
  }

  #choose(projection: string): void {
    this.#projection = projection;
    remember({ risk: projection });
    void this.#reading.readInstead((call) => this.#read(call));
  }

  /** Limits are an open set: the columns are those that the rows have. */
  #showColumns(rows: readonly Row[]): void {
    const keys = this.#projection === "" ? [] : this.#projection.split("/");
    const limits = [...new Set(rows.flatMap((row) => Object.keys(row.limits)))];
    const columns = JSON.stringify([keys, limits]);
    if (columns === this.#columns) return;
    this.#columns = columns;
    const scope = textColumn<Row>("Scope", () => "all orders", { kind: "name" });
    const first = keys.length > 0 ? keys.map(conditionColumn) : [scope];
    this.#table.columns = [...first, ...limits.map(limitColumn)];
  }
}

function conditionColumn(key: string, at: number): TableColumn<Row> {
  return textColumn(key, ({ conditions }) => conditions[key] ?? "", { kind: at === 0 ? "name" : "text" });
}

function limitColumn(limit: string): TableColumn<Row> {
  return textColumn(limit.replace(/([a-z])([A-Z])/g, "$1 $2"), () => "", {
    kind: "number",
    show: (cell, { limits }) => {
      const value = limits[limit];
      setText(cell, value == null ? "unlimited" : groupDigits(value));
      cell.classList.toggle("faint", value == null);
    },
    ascending: byDecimal(({ limits }) => limits[limit] ?? null),
  });
}
