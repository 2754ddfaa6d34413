import { byId, element, setBreakable, setText } from "./dom.ts";

/** What a message of a command says: it is under way, proven, not proven, or certainly not done. */
export type Tone = "busy" | "done" | "doubt" | "failed";

/** The live region: whether gateway and engine respond, and what became of the last command. */
export class StatusLine {
  readonly #link = element("p", { className: "link", hidden: true });
  readonly #words = element("span");
  readonly #close = element("button", { type: "button", hidden: true }, ["Dismiss"]);
  readonly #command = element("p", { className: "command", hidden: true }, [this.#words, this.#close]);

  constructor() {
    byId("status").append(this.#link, this.#command);
    this.#close.onclick = () => this.command("", "busy");
  }

  /** Says who does not respond; an empty text when all do. */
  link(text: string, isBack = false): void {
    setText(this.#link, text);
    this.#link.hidden = text === "";
    this.#link.dataset.tone = isBack ? "done" : "failed";
  }

  /** Says what became of a command. */
  command(text: string, tone: Tone): void {
    setBreakable(this.#words, text);
    this.#command.dataset.tone = tone;
    this.#command.hidden = text === "";
    this.#close.hidden = tone === "busy";
  }
}
