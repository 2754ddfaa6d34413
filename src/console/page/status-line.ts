import { byId, element, setText } from "./dom.ts";

/** What a message of a command says: it is under way, proven, not proven, or certainly not done. */
export type Tone = "busy" | "done" | "doubt" | "failed";

/** The live region: whether gateway and engine respond, and what became of the last command. */
export class StatusLine {
  readonly #link = element("p", { className: "link", hidden: true });
  readonly #command = element("p", { className: "command", hidden: true });
  readonly #close = element("button", { type: "button", className: "close", hidden: true }, ["Dismiss"]);

  constructor() {
    byId("status").append(this.#link, this.#command, this.#close);
    this.#close.onclick = () => this.#showCommand("", "busy");
  }

  /** Says who does not respond; an empty text when all do. */
  link(text: string, isBack = false): void {
    setText(this.#link, text);
    this.#link.hidden = text === "";
    this.#link.dataset.tone = isBack ? "done" : "failed";
  }

  /** Says what became of a command. */
  command(text: string, tone: Tone): void {
    this.#showCommand(text, tone);
  }

  #showCommand(text: string, tone: Tone): void {
    setText(this.#command, text);
    this.#command.dataset.tone = tone;
    this.#command.hidden = text === "";
    this.#close.hidden = text === "" || tone === "busy";
  }
}
