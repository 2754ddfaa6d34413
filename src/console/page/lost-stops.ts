import { type LostStop, lostWords } from "../../core/stops/words.ts";
import { element, setBreakable } from "../../pages/dom.ts";
import type { CommandDesk } from "./command-desk.ts";

/** The banner of what the engine has forgotten: stops that were applied, that nobody has taken back, and that it no longer shows. */
export class LostStops {
  readonly #desk: CommandDesk;
  readonly banner = element("div", { className: "lost" });
  #shown = "";

  constructor(desk: CommandDesk) {
    this.#desk = desk;
    this.banner.setAttribute("role", "alert");
  }

  show(lost: readonly LostStop[]): void {
    // An alert is read out again whenever it changes.
    const text = JSON.stringify(lost);
    if (text === this.#shown) return;
    this.#shown = text;
    this.banner.replaceChildren(...lost.map((stop) => this.#line(stop)));
  }

  #line(stop: LostStop): HTMLElement {
    const words = element("span");
    const told = lostWords(stop, Date.now());
    const [done = ""] = told.split(" ");
    // What comes first is how it is now.
    setBreakable(words, `No longer ${done.toLowerCase()}: ${told}`);
    if (stop.operation !== "haltTrading") return element("p", {}, [words]);
    const again = element("button", { type: "button" }, ["Halt again"]);
    again.onclick = () => this.#desk.askHalt(stop.target);
    return element("p", {}, [words, again]);
  }
}
