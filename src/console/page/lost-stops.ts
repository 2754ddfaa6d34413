import type { Output } from "../../core/operations/table.ts";
import { byId, element, setBreakable } from "../../pages/dom.ts";
import { since } from "../../pages/time.ts";
import type { CommandDesk } from "./command-desk.ts";

type LostStop = NonNullable<Output<"listHalts">["lost"]>[number];

/** The banner of what the engine has forgotten: stops that were applied, that nobody has taken back, and that it no longer shows. */
export class LostStops {
  readonly #desk: CommandDesk;
  readonly #banner = byId("lost");
  #shown = "";

  constructor(desk: CommandDesk) {
    this.#desk = desk;
  }

  show(lost: readonly LostStop[]): void {
    // An alert is read out again whenever it changes.
    const text = JSON.stringify(lost);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#banner.replaceChildren(...lost.map((stop) => this.#line(stop)));
  }

  #line(stop: LostStop): HTMLElement {
    const words = element("span");
    setBreakable(words, wordsOf(stop));
    if (stop.operation !== "haltTrading") return element("p", {}, [words]);
    const again = element("button", { type: "button" }, ["Halt again"]);
    again.onclick = () => this.#desk.askHalt(stop.target);
    return element("p", {}, [words, again]);
  }
}

function wordsOf({ operation, target, reason, since: at, by }: LostStop): string {
  const [done, what] =
    operation === "haltTrading" ? ["Halted", target === "" ? "All trading" : target] : ["Disabled", target];
  const who = by === null ? "" : ` by ${by}`;
  const why = reason === null ? "" : ` (${reason})`;
  return `${what}: ${done} ${since(at)}${who}${why}; the engine no longer shows it.`;
}
