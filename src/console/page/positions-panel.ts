import type { Output } from "../../core/operations/table.ts";
import { groupDigits } from "../../core/values/decimal-text.ts";
import { haveCommonUnit, positionTotal } from "../../core/values/position-total.ts";
import { parseProjectionPath } from "../../core/values/projection.ts";
import { element, setText } from "../../pages/dom.ts";
import { commandsColumn, type TableColumn, textColumn } from "./columns.ts";
import { DataTable } from "./data-table.ts";
import { Panel, type Parts, projectionChoice } from "./panel.ts";
import { Reading } from "./reading.ts";
import { remember, remembered } from "./remembered.ts";

type Position = Output<"listPositions">[number];

/** Fields of a position that hold a decimal. */
type DecimalField = Exclude<
  { [F in keyof Position]-?: null extends Position[F] ? F : never }[keyof Position],
  undefined
>;

const DECIMALS: readonly (readonly [title: string, field: DecimalField, hasTotal: boolean])[] = [
  ["Size", "size", true],
  // An average of averages is none.
  ["Average cost", "averageCost", false],
  ["Market value", "marketValue", true],
  ["Unrealized", "unrealizedPnL", true],
  ["Realized", "realizedPnL", true],
  ["Commission", "totalCommission", true],
  ["Open buy", "openBuySize", true],
  ["Open sell", "openSellSize", true],
];

const USUAL = ["Account/Symbol", "Exchange/Symbol", "Trader/Symbol", "Source/Account/Symbol", "Account/Currency"];
const PERIOD_MS = 10_000;
/** Long lists are read less often. */
const PERIOD_OF_ROW_MS = 4;

/** Positions of one projection, with exact totals where all are of one symbol. */
export class PositionsPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<Position>("Positions", ({ projection }) => projection);
  readonly #filter = element("input", { type: "search", placeholder: "Filter", autocomplete: "off" });
  readonly #count = element("p", { className: "count" });
  readonly #reading: Reading<Position[]>;
  #projection = remembered().positions ?? "Account/Symbol";

  constructor(parts: Parts) {
    super("positions", parts.polling);
    this.#parts = parts;
    this.#reading = new Reading(() => this.#read());
    this.#filter.setAttribute("aria-label", "Filter positions");
    this.#filter.oninput = () => this.show();
    const choice = projectionChoice("Projection of positions", USUAL, this.#projection, (to) => this.#choose(to));
    this.tools.prepend(choice, this.#filter);
    this.body.append(this.#table.scroller, this.#count);
    this.#table.columns = this.#columns();
    this.#reading.onChange(() => this.show());
    this.follow(this.#reading, {
      periodMs: () => PERIOD_MS + PERIOD_OF_ROW_MS * (this.#reading.value?.length ?? 0),
    });
  }

  override show(): void {
    const all = this.#reading.value ?? [];
    const wanted = this.#filter.value.trim().toLowerCase();
    const rows = wanted === "" ? all : all.filter(({ projection }) => projection.toLowerCase().includes(wanted));
    this.#table.rows = rows;
    setText(this.#count, this.#reading.value ? countOf(rows, all.length) : "");
  }

  #read(): Promise<Position[]> {
    return this.#parts.api.client.listPositions({ projection: this.#projection });
  }

  #choose(projection: string): void {
    this.#projection = projection;
    remember({ positions: projection });
    this.#table.rows = [];
    this.#table.columns = this.#columns();
    void this.#reading.readInstead(() => this.#read());
  }

  #columns(): TableColumn<Position>[] {
    const { access, desk } = this.#parts;
    const keys = this.#projection.split("/");
    const known = new Set(keys);
    return [
      ...keys.map((key, at) =>
        textColumn<Position>(
          key,
          ({ projection }) =>
            parseProjectionPath(projection, known).find((segment) => segment.key === key)?.value ?? "",
          at === 0 ? { kind: "name", total: (rows) => (haveCommonUnit(rows) ? "Total" : "") } : {},
        ),
      ),
      ...DECIMALS.map(([title, field, hasTotal]) => decimalColumn(title, field, hasTotal)),
      commandsColumn(access, ({ projection }) => projection, [
        {
          label: "Halt",
          operation: "haltTrading",
          isOffered: () => true,
          open: ({ projection }) => desk.askHalt(projection),
        },
      ]),
    ];
  }
}

function countOf(shown: readonly Position[], all: number): string {
  const of = shown.length === all ? "" : ` of ${groupDigits(String(all))}`;
  const count = `${groupDigits(String(shown.length))}${of} ${all === 1 ? "position" : "positions"}.`;
  if (shown.length === 0) return count;
  const totals = haveCommonUnit(shown) ? "Totals are exact sums of what is shown." : "No totals: symbols differ.";
  return `${count} ${totals}`;
}

function totalOf(rows: readonly Position[], field: DecimalField): string {
  if (!haveCommonUnit(rows)) return "";
  const total = positionTotal(rows, field);
  return total === null ? "–" : groupDigits(total);
}

function decimalColumn(title: string, field: DecimalField, hasTotal: boolean): TableColumn<Position> {
  return {
    title,
    kind: "number",
    show: (cell, position) => {
      const value = position[field];
      setText(cell, value === null ? "–" : groupDigits(value));
      cell.classList.toggle("faint", value === null || value === "0");
      cell.classList.toggle("negative", value?.startsWith("-") ?? false);
    },
    decimal: (position) => position[field],
    ...(hasTotal && { total: (rows) => totalOf(rows, field) }),
  };
}
