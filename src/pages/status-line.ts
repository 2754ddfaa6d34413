import type { MutationOutcome } from "../core/errors.ts";
import { byId, element, setBreakable, setText } from "./dom.ts";
import { utc } from "./words.ts";

export interface Verdict {
  /**
   * `pending` while it is in progress; `awaited` while it waits for a second person; `proven` when a read has shown it. It is `unknown`, too, while
   * a read that should show it does not.
   */
  readonly outcome: MutationOutcome | "pending" | "awaited" | "proven";
  readonly text: string;
  /** The technical cause; shown on request. */
  readonly details?: string;
  /** What a list says of it that has the command in words. */
  readonly briefly?: string;
  /** It is proven, and something that it might be taken to end stays: no green. */
  readonly isPartial?: boolean;
  /** What may be done next, for as long as the command has failed or is in doubt. */
  readonly again?: Again;
}

/** A button that asks for a command again. */
export interface Again {
  readonly label: string;
  open(): void;
}

/** The live region: whether gateway and engine respond, and what happened to the commands, the last one first. */
export class StatusLine {
  readonly #link = new Words();
  readonly #linkLine = element("div", { className: "line", hidden: true }, [this.#link.element]);
  readonly #commands = element("div");
  #lines: CommandLine[] = [];

  constructor() {
    byId("status").append(this.#linkLine, this.#commands);
  }

  /** Says who does not respond, and the technical cause; an empty text when all do. */
  link(text: string, details = "", isBack = false): void {
    this.#link.say(text, details);
    this.#linkLine.hidden = text === "";
    this.#linkLine.dataset.outcome = isBack ? "proven" : "not-applied";
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

/** A sentence, with its technical cause behind a word. */
class Words {
  readonly #text = element("span");
  readonly #cause = element("p");
  readonly #details = element("details", {}, [element("summary", {}, ["Details"]), this.#cause]);
  readonly element = element("div", {}, [this.#text]);

  constructor() {
    // Read out by who asks for it.
    this.#details.setAttribute("aria-live", "off");
  }

  say(text: string, details = ""): void {
    setBreakable(this.#text, text);
    setBreakable(this.#cause, details);
    if (details === "") this.#details.remove();
    else if (!this.element.contains(this.#details)) this.element.append(this.#details);
  }
}

/** Result of one command, with the time at which it was given. A doubt stays until a read settles it or somebody acknowledges it. */
export class CommandLine {
  readonly #words = new Words();
  readonly #time = element("time", {}, [`sent ${utc(Date.now())}`]);
  readonly #again = element("button", { type: "button", className: "again" });
  // Its removal is not read out.
  readonly #close = element("button", { type: "button" });
  readonly #next = element("div", { className: "next" }, [this.#time, this.#again, this.#close]);
  readonly element = element("div", { className: "line" }, [this.#words.element, this.#next]);
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
    const { text, outcome, isPartial = false } = verdict;
    const isDoubt = outcome === "unknown";
    // The cause of a doubt stays with it, and what may be done next also with what was not done.
    const details = verdict.details || (isDoubt && this.#verdict.details) || "";
    const again = verdict.again ?? (isDoubt || outcome === "not-applied" ? this.#verdict.again : undefined);
    this.#verdict = { ...verdict, details, ...(again && { again }) };
    this.#words.say(text, details);
    this.#again.hidden = again === undefined;
    setText(this.#again, again?.label ?? "");
    this.#again.onclick = () => again?.open();
    setText(this.#close, isDoubt ? "Acknowledge" : "Dismiss");
    this.element.dataset.outcome = outcome;
    this.element.classList.toggle("partial", isPartial);
    this.#close.hidden = outcome === "pending";
  }

  close(): void {
    this.isClosed = true;
    this.element.remove();
  }
}
