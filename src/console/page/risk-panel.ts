import type { CallOptions } from "../../client/client.ts";
import type { Output } from "../../core/operations/table.ts";
import { keysOf } from "../../core/values/projection.ts";
import { setText } from "../../pages/dom.ts";
import { type TableColumn, textColumn } from "./columns.ts";
import { DataTable } from "./data-table.ts";
import { SIZE, showDecimal } from "./numbers.ts";
import { Panel, type Parts } from "./panel.ts";
import { ProjectionChoice } from "./projection-choice.ts";
import { Reading } from "./reading.ts";
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
  readonly #reading: Reading<RiskTable>;
  readonly #choice = new ProjectionChoice("risk", "Projection of risk limits", USUAL, "Account/Symbol");
  #columns = "";

  constructor(parts: Parts) {
    super("risk", parts.polling);
    this.#parts = parts;
    this.#reading = new Reading((call) => this.#read(call));
    this.#choice.onChange = () => void this.#reading.readInstead((call) => this.#read(call));
    this.lay(this.#table, this.#choice.field);
    this.#reading.onChange(() => this.show());
    this.follow(this.#reading, { periodMs: () => PERIOD_MS });
  }

  override show(): void {
    this.#choice.offer(this.#parts.access.projectionsOf("risk"));
    const rows = this.#reading.value?.rows;
    if (rows) this.#choice.keep();
    this.#showColumns(rows ?? []);
    this.#table.rows = rows;
    setText(this.count, (!rows && this.#choice.problem) || this.#table.countWords);
  }

  #read(call: CallOptions): Promise<RiskTable> {
    return this.#parts.api.client.getRiskTable({ projection: this.#choice.projection }, call);
  }

  /** Limits are an open set: the columns are those that the rows have. */
  #showColumns(rows: readonly Row[]): void {
    const keys = keysOf(this.#choice.projection);
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
    show: (cell, { limits }) => showDecimal(cell, limits[limit] ?? null, SIZE, "unlimited"),
    ascending: byDecimal(({ limits }) => limits[limit] ?? null),
  });
}
