import type { Access } from "./access.ts";
import type { ConsoleApi } from "./api.ts";
import type { CommandDesk } from "./command-desk.ts";
import { byId, element, nextId, setText } from "./dom.ts";
import { failureText } from "./failure.ts";
import type { Polling } from "./polling.ts";
import type { Reading } from "./reading.ts";
import { ago } from "./time.ts";

/** After so many milliseconds a value counts as old. */
const OLD_MS = 30_000;

/** A part of the page: its heading with tools and the age of what it shows, and its body. */
export class Panel {
  readonly body: HTMLElement;
  readonly tools: HTMLElement;
  readonly #age = element("button", { type: "button", className: "age", title: "Read now" });
  readonly #note = element("p", { className: "note", hidden: true });
  readonly #problem = element("p", { className: "note problem", hidden: true });
  readonly #section: Element;
  #isVisible = false;
  /** The readings that are shown. */
  readings: () => readonly Reading<unknown>[] = () => [];
  /** Called when the panel comes into view. */
  onVisible: () => void = () => {};

  constructor(id: string) {
    this.body = byId(`${id}-body`);
    this.tools = byId(`${id}-tools`);
    this.#section = this.body.parentElement ?? this.body;
    this.tools.append(this.#age);
    this.body.append(this.#note, this.#problem);
    this.#age.onclick = () => {
      for (const reading of this.readings()) void reading.refresh();
    };
    const seen = new IntersectionObserver(([entry]) => {
      this.#isVisible = entry?.isIntersecting ?? false;
      if (this.#isVisible) this.onVisible();
    });
    seen.observe(this.#section);
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  /** Says something that holds for the whole panel; nothing for an empty text. */
  note(text: string): void {
    setText(this.#note, text);
    this.#note.hidden = text === "";
  }

  /** Shows how old the values are, and why they are not younger. */
  showAge(now: number): void {
    const readings = this.readings();
    const times = readings.map(({ readAt }) => readAt).filter((at) => at !== undefined);
    const oldest = times.length > 0 ? Math.min(...times) : undefined;
    const failure = readings.find((reading) => reading.failure !== undefined)?.failure;
    setText(this.#age, oldest === undefined ? "reading" : ago(now - oldest));
    this.#age.setAttribute(
      "aria-label",
      `${oldest === undefined ? "Not read yet" : `Read ${ago(now - oldest)}`}, read now`,
    );
    this.#section.classList.toggle("old", failure !== undefined || (oldest !== undefined && now - oldest > OLD_MS));
    const problem = failure === undefined ? "" : failureText(failure);
    setText(this.#problem, problem);
    this.#problem.hidden = problem === "";
  }
}

/** What all panels share. */
export interface Parts {
  readonly api: ConsoleApi;
  readonly access: Access;
  readonly desk: CommandDesk;
  readonly polling: Polling;
}

/** A field for a projection: those that are usual can be chosen, every other can be typed. */
export function projectionChoice(
  label: string,
  usual: readonly string[],
  begin: string,
  choose: (projection: string) => void,
): HTMLElement {
  const input = element("input", { type: "text", value: begin, autocomplete: "off", spellcheck: false });
  const list = element("datalist", { id: nextId() });
  list.append(...usual.map((value) => element("option", { value })));
  input.setAttribute("list", list.id);
  input.setAttribute("aria-label", label);
  // Otherwise the list would show only what begins like the text that is there.
  input.onfocus = () => input.select();
  input.onchange = () => choose(input.value.trim());
  return element("span", { className: "choice" }, [input, list]);
}
