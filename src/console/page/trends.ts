import type { Output } from "../../core/operations/table.ts";
import { exactSum, groupDigits, haveCommonUnit, positionTotal } from "../../core/values/decimal-text.ts";
import { element, nextTask, setText } from "../../pages/dom.ts";
import { lasting, since } from "../../pages/words.ts";
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

  /** Takes how many of all sessions are connected, read at a time in epoch milliseconds. */
  sessions(at: number, connected: number, all: number): void {
    this.#sessions.add(countPoint(at, connected, all));
  }

  /** Whether the sessions, or the positions, that the charts show may have changed since they were read. */
  set areSessionsOld(isOld: boolean) {
    this.#sessions.isOld = isOld;
  }

  set arePositionsOld(isOld: boolean) {
    for (const trend of [this.#orders, this.#losses, this.#profit]) trend.isOld = isOld;
  }

  /** Takes the positions of a projection. What goes over all of them has its own turn: the page scrolls in between. */
  async positions(at: number, projection: string, positions: readonly Position[]): Promise<void> {
    if (projection !== this.#projection) for (const trend of [this.#orders, this.#losses]) trend.restart();
    this.#projection = projection;
    for (const [trend, counts] of [
      [this.#orders, hasOpenOrders],
      [this.#losses, isAtLoss],
    ] as const) {
      await nextTask();
      if (projection !== this.#projection) return;
      trend.add(countPoint(at, positions.filter(counts).length, positions.length));
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
    const words = shortDecimal(total, MONEY);
    this.#profit.add({ at, value: Number(total), words, now: words, of: shown.length });
  }
}

function hasOpenOrders({ openBuySize, openSellSize }: Position): boolean {
  return /[1-9]/.test(`${openBuySize} ${openSellSize}`);
}

function isAtLoss({ unrealizedPnL, realizedPnL }: Position): boolean {
  return Number(unrealizedPnL) + Number(realizedPnL) < 0;
}

function countPoint(at: number, count: number, all: number): Point {
  const [words, of] = [count, all].map((number) => groupDigits(String(number)));
  return { at, value: count, words: `${words}`, now: `${words} of ${of}`, of: all };
}

/** How far back a chart shows. */
const SPAN_MS = 30 * 60_000;
/** And how far at least: a line of two points is not as wide as the chart. */
const MIN_SPAN_MS = 60_000;
/** Points are this far from each other, so that half an hour is 360 of them. */
const STEP_MS = 5_000;
/** A line does not cross a longer time without values. */
const GAP_MS = 3 * 60_000;
/** Nor a change of what is counted by more than this share: 5 of 40 and then 20 of 160 did not rise. */
const MAX_BASE_CHANGE = 0.1;

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 200;
const HEIGHT = 32;
/** Between these shares of the height there is room for the 0 between the highest and the lowest value. */
const ROOM_FOR_ZERO = [0.25, 0.75] as const;

interface Point {
  readonly at: number;
  readonly value: number;
  /** How the value is shown, and how it is as the last one. */
  readonly words: string;
  readonly now: string;
  /** How many things there were to count. */
  readonly of: number;
}

function svgPath(className: string): SVGPathElement {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", className);
  path.setAttribute("vector-effect", "non-scaling-stroke");
  return path;
}

function label(className: string, text = ""): HTMLElement {
  return element("span", { className }, [text]);
}

/**
 * How one number went over the last 30 minutes, or since the page was opened, as a line above or below 0, with its lowest and highest value in
 * words. It is kept in the page.
 */
class Trend {
  readonly element: HTMLElement;
  readonly #now = label("trend-now", "not read yet");
  readonly #range = label("trend-range");
  readonly #begin = label("trend-begin");
  readonly #until = label("trend-until", "now");
  readonly #most = label("trend-most");
  readonly #zero = label("trend-zero", "0");
  readonly #least = label("trend-least");
  readonly #axis = svgPath("trend-axis");
  readonly #area = svgPath("trend-area");
  readonly #line = svgPath("trend-line");
  /** Where it is now: of a line that has only begun, this is what can be seen. */
  readonly #end = svgPath("trend-line trend-end");
  #points: Point[] = [];
  #isOld = false;

  constructor(title: string) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.append(this.#area, this.#axis, this.#line, this.#end);
    const values = element("div", { className: "trend-values" }, [this.#most, this.#zero, this.#least]);
    const picture = element("div", { className: "trend-picture" }, [values, svg]);
    // The words beside it say what it shows.
    picture.setAttribute("aria-hidden", "true");
    const times = element("div", { className: "trend-times" }, [this.#begin, this.#range, this.#until]);
    this.element = element("div", { className: "trend" }, [label("trend-title", title), this.#now, picture, times]);
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", title);
    this.#draw(0, SPAN_MS);
  }

  /** Forgets what was before: it was of something else. */
  restart(): void {
    this.#points = [];
  }

  /** Adds what was read at a time, epoch milliseconds. */
  add(point: Point): void {
    const { at, now } = point;
    const [last] = this.#points.slice(-1);
    if (last?.at === at) this.#points.pop();
    // What is read often replaces the last point, but not the one before it: a line would never grow.
    const [before] = this.#points.slice(-2, -1);
    if (last && before && last.at - before.at < STEP_MS) this.#points.pop();
    this.#points = [...this.#points.filter((earlier) => earlier.at >= at - SPAN_MS), point];
    const span = this.#span(at);
    setText(this.#now, now);
    this.#showTimes();
    this.#draw(at - span, span);
  }

  /** An old chart ends when it was read, and looks so. */
  set isOld(isOld: boolean) {
    if (isOld === this.#isOld) return;
    this.#isOld = isOld;
    this.element.classList.toggle("old", isOld);
    this.#showTimes();
  }

  #span(at: number): number {
    return Math.max(MIN_SPAN_MS, at - (this.#points[0]?.at ?? at));
  }

  #showTimes(): void {
    const last = this.#points.at(-1);
    if (!last) return;
    setText(this.#begin, `${lasting(this.#span(last.at))} ${this.#isOld ? "before" : "ago"}`);
    setText(this.#until, this.#isOld ? `as of ${since(last.at)}` : "now");
  }

  #draw(from: number, span: number): void {
    const points = [...this.#points].sort((left, right) => left.value - right.value);
    const [low, high] = [points[0], points.at(-1)];
    // 0 is always in the picture: without it, a fall from 11 to 10 looks like one from 11 to nothing.
    const [least, most] = [Math.min(0, low?.value ?? 0), Math.max(0, high?.value ?? 0)];
    const share = (value: number): number => 1 - (value - least) / (most - least || 1);
    const place = ({ at, value }: Point): string =>
      `${(((at - from) / span) * WIDTH).toFixed(1)} ${(share(value) * HEIGHT).toFixed(1)}`;
    const zero = (share(0) * HEIGHT).toFixed(1);
    // A value alone would be a speck; the last one has its dot.
    const longer = pieces(this.#points).filter(({ length }) => length > 1);
    const lines = longer.map((piece) => `M${piece.map(place).join("L")}`);
    this.#line.setAttribute("d", lines.join(""));
    this.#area.setAttribute("d", lines.map((line) => areaOf(line, zero)).join(""));
    this.#axis.setAttribute("d", `M0 ${zero}h${WIDTH}`);
    const last = this.#points.at(-1);
    if (last) this.#end.setAttribute("d", `M${place(last)}h0.01`);
    setText(this.#most, most > 0 ? (high?.words ?? "") : "0");
    setText(this.#least, least < 0 ? (low?.words ?? "") : "0");
    this.#most.hidden = most === least;
    this.#zero.hidden = share(0) < ROOM_FOR_ZERO[0] || share(0) > ROOM_FOR_ZERO[1];
    this.#zero.style.top = `${share(0) * 100}%`;
    setText(this.#range, low && high && low !== high ? `low ${low.words}, high ${high.words}` : "");
  }
}

/** The parts of the line: one ends where nothing was read for long, or where other things are counted. */
function pieces(points: readonly Point[]): Point[][] {
  const found: Point[][] = [];
  for (const [index, point] of points.entries()) {
    const last = points[index - 1];
    if (last && continues(last, point)) found.at(-1)?.push(point);
    else found.push([point]);
  }
  return found;
}

function continues(last: Point, next: Point): boolean {
  return next.at - last.at <= GAP_MS && Math.abs(next.of - last.of) <= MAX_BASE_CHANGE * last.of;
}

/** What is between a line and 0. */
function areaOf(line: string, zero: string): string {
  const places = line.slice(1).split("L");
  const [begin, end] = [places[0], places.at(-1)].map((place = "") => place.split(" ")[0]);
  return `${line}L${end} ${zero}L${begin} ${zero}Z`;
}
