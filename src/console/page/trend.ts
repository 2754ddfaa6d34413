import { element, setText } from "../../pages/dom.ts";

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
}

/** How one number went over the last 30 minutes, as a small line. It is kept in the page. */
export class Trend {
  readonly element: HTMLElement;
  readonly #title: string;
  readonly #now = element("span", { className: "trend-now" });
  readonly #line = document.createElementNS(SVG, "path");
  readonly #picture = document.createElementNS(SVG, "svg");
  #points: Point[] = [];

  constructor(title: string) {
    this.#title = title;
    this.#picture.setAttribute("viewBox", `0 -2 ${WIDTH} ${HEIGHT + 4}`);
    this.#picture.setAttribute("preserveAspectRatio", "none");
    this.#picture.setAttribute("role", "img");
    this.#picture.setAttribute("aria-label", `${title}: not read yet`);
    this.#line.setAttribute("vector-effect", "non-scaling-stroke");
    this.#picture.append(this.#line);
    this.element = element("div", { className: "trend" }, [
      element("span", { className: "trend-title" }, [title]),
      this.#now,
      this.#picture,
    ]);
  }

  /** Forgets what was before: it was of something else. */
  restart(): void {
    this.#points = [];
  }

  /** Adds the value that was read at a time, epoch milliseconds; `words` is how it is shown. */
  add(at: number, value: number, words: string): void {
    const from = at - SPAN_MS;
    const [last] = this.#points.slice(-1);
    if (last?.at === at) this.#points.pop();
    // What is read often replaces the last point, but not the one before it: a line would never grow.
    const [before] = this.#points.slice(-2, -1);
    if (last && before && last.at - before.at < STEP_MS) this.#points.pop();
    this.#points = [...this.#points.filter((point) => point.at >= from), { at, value }];
    setText(this.#now, words);
    this.#draw(from);
    this.#picture.setAttribute("aria-label", this.#summary(words));
  }

  #draw(from: number): void {
    const values = this.#points.map(({ value }) => value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const height = (value: number): number => (most === least ? 0.5 : (most - value) / (most - least)) * HEIGHT;
    const steps = this.#points.map(({ at, value }, index) => {
      const x = (((at - from) / SPAN_MS) * WIDTH).toFixed(1);
      const y = height(value).toFixed(1);
      const last = this.#points[index - 1];
      return last && at - last.at <= GAP_MS ? `L${x} ${y}` : `M${x} ${y}h0.1`;
    });
    this.#line.setAttribute("d", steps.join(""));
  }

  #summary(now: string): string {
    const values = this.#points.map(({ value }) => value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return `${this.#title}: ${now} now, between ${least} and ${most} in the last 30 minutes`;
  }
}
