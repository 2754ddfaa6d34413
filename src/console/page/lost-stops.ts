import { type LostStop, lostWords } from "../../core/stops/words.ts";
import { byId, element, setBreakable } from "../../pages/dom.ts";
import type { CommandDesk } from "./command-desk.ts";

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
    setBreakable(words, lostWords(stop, Date.now()));
    if (stop.operation !== "haltTrading") return element("p", {}, [words]);
    const again = element("button", { type: "button" }, ["Halt again"]);
    again.onclick = () => this.#desk.askHalt(stop.target);
    return element("p", {}, [words, again]);
  }
}
