import type { Output } from "../../core/operations/table.ts";
import { exactSum, groupDigits, haveCommonUnit, positionTotal } from "../../core/values/decimal-text.ts";
import { element, nextTask } from "../../pages/dom.ts";
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

  /** Takes the positions of a projection. What goes over all of them has a turn of its own: the page scrolls in between. */
  async positions(at: number, projection: string, positions: readonly Position[]): Promise<void> {
    if (projection !== this.#projection) for (const trend of [this.#orders, this.#losses]) trend.restart();
    this.#projection = projection;
    const all = groupDigits(String(positions.length));
    for (const [trend, counts] of [
      [this.#orders, hasOpenOrders],
      [this.#losses, isAtLoss],
    ] as const) {
      await nextTask();
      if (projection !== this.#projection) return;
      const count = positions.filter(counts).length;
      trend.add(at, count, `${groupDigits(String(count))} of ${all}`);
    }
  }

  /** Takes the positions that a filter shows: there is a profit only where all are of one symbol (decision D-PAGE 4). */
  async profit(at: number, filter: string, shown: readonly Position[]): Promise<void> {
    if (filter !== this.#filter) this.#profit.restart();
    this.#filter = filter;
    const isSummed = haveCommonUnit(shown);
    this.#profit.element.hidden = !isSummed;
    if (!isSummed) return;
    await nextTask();
    const unrealized = positionTotal(shown, "unrealizedPnL");
    await nextTask();
    const realized = positionTotal(shown, "realizedPnL");
    if (unrealized === null || realized === null || filter !== this.#filter) return;
    const total = exactSum([unrealized, realized]);
    this.#profit.add(at, Number(total), shortDecimal(total, MONEY));
  }
}

function hasOpenOrders({ openBuySize, openSellSize }: Position): boolean {
  return /[1-9]/.test(`${openBuySize} ${openSellSize}`);
}

function isAtLoss({ unrealizedPnL, realizedPnL }: Position): boolean {
  return Number(unrealizedPnL) + Number(realizedPnL) < 0;
}
