import type { MutationOutcome } from "../core/errors.ts";
import { byId, element, setBreakable, setText } from "./dom.ts";

export interface Verdict {
  /** `pending` while it is in progress; `proven` when a read has shown it. It is `unknown`, too, while a read that should show it does not. */
  readonly outcome: MutationOutcome | "pending" | "proven";
  readonly text: string;
}

/** The live region: whether gateway and engine respond, and what happened to the commands, the last one first. */
export class StatusLine {
  readonly #link = element("p", { hidden: true });
  readonly #commands = element("div");
  #lines: CommandLine[] = [];

  constructor() {
    byId("status").append(this.#link, this.#commands);
  }

  /** Says who does not respond; an empty text when all do. */
  link(text: string, isBack = false): void {
    setText(this.#link, text);
    this.#link.hidden = text === "";
    this.#link.dataset.outcome = isBack ? "proven" : "not-applied";
  }

  /** A line for a command that is about to be sent. Lines of others go, but for those that nobody has dealt with. */
  begin(verdict: Verdict): CommandLine {
    for (const line of this.#lines) if (line.isSettled) line.close();
    this.#lines = this.#lines.filter(({ isClosed }) => !isClosed);
    const line = new CommandLine(verdict);
    this.#lines.push(line);
    this.#commands.prepend(line.element);
    return line;
  }
}

/** Result of one command. A doubt stays until a read settles it or somebody acknowledges it. */
export class CommandLine {
  readonly #words = element("span");
  // New text is read out, its removal is not.
  readonly #close = element("button", { type: "button" });
  readonly element = element("p", {}, [this.#words, this.#close]);
  #verdict: Verdict;
  isClosed = false;

  constructor(verdict: Verdict) {
    this.#close.setAttribute("aria-live", "off");
    this.#close.onclick = () => this.close();
    this.#verdict = verdict;
    this.say(verdict);
  }

  get verdict(): Verdict {
    return this.#verdict;
  }

  get isSettled(): boolean {
    return this.#verdict.outcome !== "pending" && this.#verdict.outcome !== "unknown";
  }

  say(verdict: Verdict): void {
    const { text, outcome } = verdict;
    this.#verdict = verdict;
    setBreakable(this.#words, text);
    setText(this.#close, outcome === "unknown" ? "Acknowledge" : "Dismiss");
    this.element.dataset.outcome = outcome;
    this.#close.hidden = outcome === "pending";
  }

  close(): void {
    this.isClosed = true;
    this.element.remove();
  }
}
