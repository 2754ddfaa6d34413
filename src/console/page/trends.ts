import type { Output } from "../../core/operations/table.ts";
import { exactSum, groupDigits, haveCommonUnit, positionTotal } from "../../core/values/decimal-text.ts";
import { element, nextTask, setText } from "../../pages/dom.ts";
import { lasting } from "../../pages/words.ts";
import { MONEY, shortDecimal } from "./numbers.ts";

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
  /** Projection and filter of the lines; another one begins new lines. */
  #projection = "";
  #filter = "";

  constructor() {
    this.#profit.element.hidden = true;
  }

  /** Takes the number of connected sessions, read at a time in epoch milliseconds. */
  sessions(at: number, connected: number): void {
    this.#sessions.add(at, connected, groupDigits(String(connected)));
  }

  /** Takes the positions of a projection. What goes over all of them has its own turn: the page scrolls in between. */
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
      const words = groupDigits(String(count));
      trend.add(at, count, words, `${words} of ${all}`);
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

/** How far back a chart shows. */
const SPAN_MS = 30 * 60_000;
/** Points are this far from each other, so that half an hour is 360 of them. */
const STEP_MS = 5_000;
/** A line does not cross a longer time without values. */
const GAP_MS = 3 * 60_000;

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 200;
const HEIGHT = 32;

interface Point {
  readonly at: number;
  readonly value: number;
  /** How the value is shown. */
  readonly words: string;
}

function svgPath(className: string): SVGPathElement {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", className);
  path.setAttribute("vector-effect", "non-scaling-stroke");
  return path;
}

/**
 * How one number went over the last 30 minutes, as a small line above or below 0, with its lowest and highest value in words. It is kept
 * in the page.
 */
class Trend {
  readonly element: HTMLElement;
  readonly #now = element("span", { className: "trend-now" }, ["not read yet"]);
  readonly #range = element("span", { className: "trend-range" });
  readonly #zero = element("span", { className: "trend-zero" }, ["0"]);
  readonly #axis = svgPath("trend-axis");
  readonly #line = svgPath("trend-line");
  /** Where it is now: of a line that has only begun, this is what can be seen. */
  readonly #end = svgPath("trend-line trend-end");
  #points: Point[] = [];

  constructor(title: string) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.append(this.#axis, this.#line, this.#end);
    // The words beside it say what it shows.
    const picture = element("div", { className: "trend-picture" }, [this.#zero, svg]);
    picture.setAttribute("aria-hidden", "true");
    const name = element("span", { className: "trend-title" }, [title]);
    const content = [name, this.#now, picture, this.#range];
    this.element = element("div", { className: "trend" }, content);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", title);
    this.#draw(0);
  }

  /** Forgets what was before: it was of something else. */
  restart(): void {
    this.#points = [];
  }

  /** Adds the value that was read at a time, epoch milliseconds; `words` is how it is shown, `now` how it is shown as the last one. */
  add(at: number, value: number, words: string, now = words): void {
    const from = at - SPAN_MS;
    const [last] = this.#points.slice(-1);
    if (last?.at === at) this.#points.pop();
    // What is read often replaces the last point, but not the one before it: a line would never grow.
    const [before] = this.#points.slice(-2, -1);
    if (last && before && last.at - before.at < STEP_MS) this.#points.pop();
    this.#points = [...this.#points.filter((point) => point.at >= from), { at, value, words }];
    setText(this.#now, now);
    setText(this.#range, rangeOf(this.#points));
    this.#draw(from);
  }

  #draw(from: number): void {
    // 0 is always in the picture: without it, a fall from 11 to 10 looks like one from 11 to nothing.
    const values = [0, ...this.#points.map(({ value }) => value)];
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const height = (value: number): number => (1 - (value - least) / (most - least || 1)) * HEIGHT;
    const steps = this.#points.map(({ at, value }, index) => {
      const x = (((at - from) / SPAN_MS) * WIDTH).toFixed(1);
      const y = height(value).toFixed(1);
      const last = this.#points[index - 1];
      return last && at - last.at <= GAP_MS ? `L${x} ${y}` : `M${x} ${y}h0.1`;
    });
    this.#line.setAttribute("d", steps.join(""));
    const [last] = this.#points.slice(-1);
    if (last) this.#end.setAttribute("d", `M${WIDTH} ${height(last.value).toFixed(1)}h0.01`);
    this.#axis.setAttribute("d", `M0 ${height(0).toFixed(1)}h${WIDTH}`);
    this.#zero.style.top = `${(height(0) / HEIGHT) * 100}%`;
  }
}

/** For how long values are known, the lowest and the highest; of a single one that the line begins with it. */
function rangeOf(points: readonly Point[]): string {
  const ordered = [...points].sort((left, right) => left.value - right.value);
  const [first, last, low, high] = [points[0], points.at(-1), ordered[0], ordered.at(-1)];
  if (!first || !last || !low || !high) return "";
  if (first === last) return "Begins now";
  return `Last ${lasting(last.at - first.at)}: low ${low.words}, high ${high.words}`;
}
