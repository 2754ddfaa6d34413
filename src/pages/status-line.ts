import { byId, element, setBreakable, setText } from "./dom.ts";
import type { Verdict } from "./proof.ts";

/** The live region: whether gateway and engine respond, and what became of the last command. */
export class StatusLine {
  readonly #link = element("p", { hidden: true });
  readonly #words = element("span");
  // What is said is read out, not how it goes away.
  readonly #close = element("button", { type: "button", hidden: true }, ["Dismiss"]);
  readonly #command = element("p", { hidden: true }, [this.#words, this.#close]);

  constructor() {
    byId("status").append(this.#link, this.#command);
    this.#close.setAttribute("aria-live", "off");
    this.#close.onclick = () => this.command("", "busy");
  }

  /** Says who does not respond; an empty text when all do. */
  link(text: string, isBack = false): void {
    setText(this.#link, text);
    this.#link.hidden = text === "";
    this.#link.dataset.tone = isBack ? "done" : "failed";
  }

  /** Says what became of a command. */
  command(text: string, tone: Verdict["tone"]): void {
    setBreakable(this.#words, text);
    this.#command.dataset.tone = tone;
    this.#command.hidden = text === "";
    this.#close.hidden = tone === "busy";
  }
}
