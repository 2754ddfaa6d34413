import type { CallOptions } from "../../client/client.ts";
import { USUAL_POSITION_PROJECTIONS } from "../../client/engine-offer.ts";
import type { Output } from "../../core/operations/table.ts";
import { covers, pathSteps } from "../../core/operations/target.ts";
import { groupDigits, haveCommonUnit, positionTotal } from "../../core/values/decimal-text.ts";
import { parseProjectionPath } from "../../core/values/projection.ts";
import { nextTask, setText } from "../../pages/dom.ts";
import type { Absent } from "../../pages/words.ts";
import { commandsColumn, type RowState, type TableColumn, textColumn } from "./columns.ts";
import { DataTable } from "./data-table.ts";
import { type Digits, MONEY, PRICE, SIZE, showDecimal } from "./numbers.ts";
import { Panel, type Parts } from "./panel.ts";
import { ProjectionChoice } from "./projection-choice.ts";
import { Reading } from "./reading.ts";
import { inAddress } from "./remembered.ts";
import { byDecimal, byText } from "./row-order.ts";
import { haltedFrom } from "./trading-words.ts";

type Position = Output<"listPositions">[number];

/** Fields of a position that hold a decimal. */
type DecimalField = Exclude<
  { [F in keyof Position]-?: null extends Position[F] ? F : never }[keyof Position],
  undefined
>;

/** How a column shows its decimals. */
interface Shown {
  readonly digits: Digits;
  readonly hasTotal?: boolean;
  /** Whether a negative value is a loss. */
  readonly isProfit?: boolean;
}

const DECIMALS: readonly (readonly [title: string, field: DecimalField, shown: Shown])[] = [
  ["Size", "size", { digits: SIZE, hasTotal: true }],
  // An average of averages is none.
  ["Average cost", "averageCost", { digits: PRICE }],
  ["Market value", "marketValue", { digits: MONEY, hasTotal: true }],
  ["Unrealized", "unrealizedPnL", { digits: MONEY, hasTotal: true, isProfit: true }],
  ["Realized", "realizedPnL", { digits: MONEY, hasTotal: true, isProfit: true }],
  ["Commission", "totalCommission", { digits: MONEY, hasTotal: true }],
  ["Open buy", "openBuySize", { digits: SIZE, hasTotal: true }],
  ["Open sell", "openSellSize", { digits: SIZE, hasTotal: true }],
];

const PERIOD_MS = 10_000;
const UNSEEN_MS = 60_000;
/** Long lists are read less often. */
const PERIOD_OF_ROW_MS = 4;

const byPath = byText<Position>(({ projection }) => projection);

/** Positions of one projection, with exact totals where all are of one symbol. */
export class PositionsPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<Position>({
    id: "positions",
    label: "Positions",
    keyOf: ({ projection }) => projection,
    searchedIn: (position) => ({ state: this.#haltOf(position) ? "halted" : "", text: position.projection }),
    // Where everything is halted, each of them is.
    folded: { words: "positions", isFine: (position) => !this.#haltOf(position, this.#below) },
  });
  readonly #reading: Reading<Position[]>;
  /** The steps of each halt that is known, and those of the halts below everything. */
  #halts: readonly (readonly string[])[] = [];
  #below: readonly (readonly string[])[] = [];
  #isPast = false;
  readonly #choice = new ProjectionChoice(
    "positions",
    "Projection of positions",
    USUAL_POSITION_PROJECTIONS,
    "Account/Symbol",
  );

  constructor(parts: Parts) {
    super("positions", parts.polling);
    this.#parts = parts;
    this.#reading = new Reading((call) => this.#read(call));
    this.#choice.onChange = () => this.#chosen();
    this.#table.columns = this.#columns();
    this.lay(this.#table, this.#choice.field);
    this.#reading.onChange(() => {
      this.show();
      this.#showCounts();
    });
    this.follow(this.#reading, {
      periodMs: () => (this.isVisible ? PERIOD_MS : UNSEEN_MS) + PERIOD_OF_ROW_MS * (this.#reading.value?.length ?? 0),
      // The charts need them.
      wanted: () => true,
    });
  }

  override show(): void {
    this.#choice.offer(this.#parts.access.projectionsOf("positions"));
    const all = this.#reading.value;
    if (all) this.#choice.keep();
    this.#table.rows = all;
    this.#showProfit();
    const unread = this.#choice.problem || this.#table.countWords;
    setText(this.count, all ? countOf(this.#table.filtered, all.length) : unread);
  }

  override showAge(now: number, absent: Absent): void {
    super.showAge(now, absent);
    this.#parts.trends.arePositionsOld = this.isOld;
  }

  /** Takes the halts that are known, each as the steps of its path; they are of the past while they cannot be read again. */
  showHalts(halts: readonly (readonly string[])[], isPast: boolean): void {
    // The closest halt of a position comes first.
    const ordered = [...halts].sort((left, right) => right.length - left.length);
    if (isPast === this.#isPast && JSON.stringify(ordered) === JSON.stringify(this.#halts)) return;
    this.#halts = ordered;
    this.#below = ordered.filter(({ length }) => length > 0);
    this.#isPast = isPast;
    this.show();
  }

  /** To parse ten thousand paths would keep the page from scrolling: only one that has the text of a halt in it is parsed. */
  #haltOf({ projection }: Position, halts = this.#halts): readonly string[] | undefined {
    const mayCover = (halt: readonly string[]): boolean => halt.every((step) => projection.includes(step));
    return halts.find((halt) => halt.length === 0 || (mayCover(halt) && covers(halt, pathSteps(projection))));
  }

  #stateOf(position: Position): RowState | undefined {
    const halt = this.#haltOf(position);
    if (!halt) return undefined;
    const from = haltedFrom(pathSteps(position.projection), halt);
    return { words: `${this.#isPast ? "was " : ""}halted`, tone: "halted", from };
  }

  #showCounts(): void {
    const { value, readAt } = this.#reading;
    if (value && readAt !== undefined) void this.#parts.trends.positions(readAt, this.#choice.projection, value);
  }

  #showProfit(): void {
    const { readAt } = this.#reading;
    const shown = `${this.#choice.projection} ${inAddress("positions")}`;
    if (readAt !== undefined) void this.#parts.trends.profit(readAt, shown, this.#table.filtered);
  }

  /** In the order of their paths, so that those of an account are together; to sort ten thousand has its own turn. */
  async #read(call: CallOptions): Promise<Position[]> {
    const positions = await this.#parts.api.client.listPositions({ projection: this.#choice.projection }, call);
    await nextTask();
    const ordered = byPath(positions);
    await nextTask();
    return ordered;
  }

  #chosen(): void {
    this.#table.rows = [];
    this.#table.columns = this.#columns();
    void this.#reading.readInstead((call) => this.#read(call));
  }

  #columns(): TableColumn<Position>[] {
    const { access, desk } = this.#parts;
    const keys = this.#choice.projection.split("/");
    return [
      ...keys.map((key, at) => keyColumn(key, new Set(keys), at === 0)),
      ...DECIMALS.map(([title, field, shown]) => decimalColumn(title, field, shown)),
      commandsColumn(
        access,
        ({ projection }) => projection,
        [
          {
            label: "Halt",
            operation: "haltTrading",
            isOffered: (position) => !this.#haltOf(position),
            open: ({ projection }) => desk.askHalt(projection),
          },
        ],
        (position) => this.#stateOf(position),
      ),
    ];
  }
}

function countOf(shown: readonly Position[], all: number): string {
  const of = shown.length === all ? "" : ` of ${groupDigits(String(all))}`;
  if (of !== "" && shown.length === 0) return `None${of} matches the filter.`;
  const count = `${groupDigits(String(shown.length))}${of} ${all === 1 ? "position" : "positions"}.`;
  if (shown.length === 0) return count;
  const totals = haveCommonUnit(shown) ? "Totals are exact sums of what is shown." : "No totals across symbols.";
  return `${count} ${totals}`;
}

function keyColumn(key: string, known: ReadonlySet<string>, isFirst: boolean): TableColumn<Position> {
  const keyValueOf = ({ projection }: Position): string =>
    parseProjectionPath(projection, known).find((segment) => segment.key === key)?.value ?? "";
  // To parse ten thousand paths would keep the page from scrolling: this orders them in the same way.
  const ascending = byText(({ projection }: Position) => projection.slice(projection.indexOf(`${key}[`)));
  if (!isFirst) return textColumn(key, keyValueOf, { ascending });
  const total = (cell: HTMLElement, rows: readonly Position[]): void =>
    setText(cell, haveCommonUnit(rows) ? "Total" : "");
  return textColumn(key, keyValueOf, { kind: "name", ascending, total });
}

function decimalColumn(title: string, field: DecimalField, shown: Shown): TableColumn<Position> {
  const { digits, hasTotal, isProfit } = shown;
  const show = (cell: HTMLElement, value: string | null): void => {
    showDecimal(cell, value, digits);
    if (isProfit) cell.classList.toggle("loss", value?.startsWith("-") ?? false);
  };
  const total = (cell: HTMLElement, rows: readonly Position[]): void => {
    if (haveCommonUnit(rows)) show(cell, positionTotal(rows, field));
  };
  return textColumn(title, () => "", {
    kind: "number",
    show: (cell, position) => show(cell, position[field]),
    ascending: byDecimal((position) => position[field]),
    ...(hasTotal && { total }),
  });
}
