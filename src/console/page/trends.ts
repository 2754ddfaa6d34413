import type { Output } from "../../core/operations/table.ts";
import { exactSum, groupDigits } from "../../core/values/decimal-text.ts";
import { haveCommonUnit, positionTotal } from "../../core/values/position-total.ts";
import { element } from "../../pages/dom.ts";
import { MONEY, shortDecimal } from "./numbers.ts";
import { Trend } from "./trend.ts";

type Position = Output<"listPositions">[number];

/**
 * Small charts of the last 30 minutes: sessions, orders, profit. Lines of some hundred points that nobody zooms need no library; this is
 * less than a tenth of the smallest.
 */
export class Trends {
  readonly #sessions = new Trend("Connected sessions");
  readonly #orders = new Trend("Positions with open orders");
  readonly #losses = new Trend("Positions at a loss");
  readonly #profit = new Trend("P&L");
  readonly element = element(
    "div",
    { className: "trends" },
    [this.#sessions, this.#orders, this.#losses, this.#profit].map((trend) => trend.element),
  );
  /** What the lines are of; something else begins new ones. */
  #projection = "";
  #filter = "";

  constructor() {
    this.#profit.element.hidden = true;
  }

  /** Takes the number of connected sessions, read at a time in epoch milliseconds. */
  sessions(at: number, connected: number): void {
    this.#sessions.add(at, connected, groupDigits(String(connected)));
  }

  /** Takes the positions of a projection. */
  positions(at: number, projection: string, positions: readonly Position[]): void {
    if (projection !== this.#projection) for (const trend of [this.#orders, this.#losses]) trend.restart();
    this.#projection = projection;
    const count = (trend: Trend, counts: (position: Position) => boolean): void => {
      const value = positions.filter(counts).length;
      trend.add(at, value, `${groupDigits(String(value))} of ${groupDigits(String(positions.length))}`);
    };
    count(this.#orders, ({ openBuySize, openSellSize }) => /[1-9]/.test(`${openBuySize} ${openSellSize}`));
    count(this.#losses, ({ unrealizedPnL, realizedPnL }) => Number(unrealizedPnL) + Number(realizedPnL) < 0);
  }

  /** Takes the positions that a filter shows: there is a profit only where all are of one symbol (decision D-PAGE 4). */
  async profit(at: number, filter: string, shown: readonly Position[]): Promise<void> {
    if (filter !== this.#filter) this.#profit.restart();
    this.#filter = filter;
    const isSummed = haveCommonUnit(shown);
    this.#profit.element.hidden = !isSummed;
    if (!isSummed) return;
    const unrealized = positionTotal(shown, "unrealizedPnL");
    // Both in one turn would keep the page from scrolling.
    await new Promise((resolve) => setTimeout(resolve));
    const realized = positionTotal(shown, "realizedPnL");
    if (unrealized === null || realized === null || filter !== this.#filter) return;
    const total = exactSum([unrealized, realized]);
    this.#profit.add(at, Number(total), shortDecimal(total, MONEY));
  }
}
