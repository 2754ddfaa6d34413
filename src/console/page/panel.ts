import { byId, element, setText } from "../../pages/dom.ts";
import { type Absent, absentOf, ago, failureText, statusWords } from "../../pages/words.ts";
import type { Access } from "./access.ts";
import type { ConsoleApi } from "./api.ts";
import type { CommandDesk } from "./command-desk.ts";
import type { DataTable } from "./data-table.ts";
import type { Polled, Polling } from "./polling.ts";
import type { Reading } from "./reading.ts";
import type { Records } from "./records.ts";
import type { Trends } from "./trends.ts";

/** A value counts as old so many milliseconds after it should have been read again: what is read once a minute is not in doubt before. */
const OLD_MS = 30_000;

/** A part of the page: its heading with tools and the age of what it shows, and its body. */
export abstract class Panel {
  protected readonly body: HTMLElement;
  protected readonly tools: HTMLElement;
  /** How many rows of a table there are. */
  protected readonly count = element("p", { className: "count" });
  readonly #age = element("button", { type: "button", className: "age", title: "Read now" });
  readonly #note = element("p", { className: "note", hidden: true });
  readonly #problem = element("p", { className: "note problem", hidden: true });
  readonly #section: Element;
  readonly #polling: Polling;
  /** Each with the time between two reads. */
  readonly #readings = new Map<Reading<unknown>, Polled["periodMs"]>();
  #refreshRows: () => void = () => {};
  readonly #linked = element("span", { className: "amiss" });
  /** The link at the top that leads to this part. */
  readonly #link: Element | null;
  #inSightSince: number | undefined;
  #isOld = false;
  #absent: Absent;

  constructor(id: string, polling: Polling) {
    this.#polling = polling;
    this.#link = document.querySelector(`nav [href="#${id}"]`);
    this.body = byId(`${id}-body`);
    this.tools = byId(`${id}-tools`);
    this.#section = this.body.parentElement ?? this.body;
    this.tools.append(this.#age);
    this.body.append(this.#note, this.#problem);
    this.#age.onclick = () => this.#readNow();
    this.#link?.addEventListener("click", () => this.#readNow());
    const seen = new IntersectionObserver((entries) => {
      // While the page was busy, several have come together: the last one is how it is.
      const isInSight = entries.at(-1)?.isIntersecting ?? false;
      this.#inSightSince = isInSight ? (this.#inSightSince ?? Date.now()) : undefined;
      if (!isInSight) return;
      for (const reading of this.#readings.keys()) if (reading.askedAt === 0) void reading.refresh();
    });
    seen.observe(this.#section);
  }

  /** Shows what was read. */
  abstract show(): void;

  /** Shows the age of a reading, and keeps it young while the panel is in sight. */
  protected follow(reading: Reading<unknown>, polled: Pick<Polled, "periodMs"> & Partial<Polled>): void {
    this.#readings.set(reading, polled.periodMs);
    this.#polling.add({
      reading,
      wanted: () => this.isVisible,
      inSightSince: () => this.#inSightSince,
      ...polled,
    });
    reading.onChange(() => this.showAge(Date.now(), this.#absent));
  }

  /** Whether the part of the page is on the screen. */
  protected get isVisible(): boolean {
    return this.#inSightSince !== undefined;
  }

  /** Whether what it shows may have changed since it was read. */
  protected get isOld(): boolean {
    return this.#isOld;
  }

  /** Leaves a reading alone from now on. */
  protected unfollow(reading: Reading<unknown>): void {
    this.#readings.delete(reading);
    this.#polling.remove(reading);
  }

  /** Puts a table into the panel, what is chosen for it behind the title, and the lines that count its rows below it. */
  protected lay<Row>(table: DataTable<Row>, ...choices: readonly HTMLElement[]): void {
    table.onView = () => this.show();
    this.#refreshRows = () => table.refresh();
    this.tools.before(...choices);
    this.tools.prepend(...table.tools);
    this.body.append(table.scroller, this.count);
  }

  /** Says at the link to this part how many of its things are disabled or disconnected: it may be below what is on the screen. */
  protected countAtLink(count: number): void {
    if (this.#linked.parentElement === null) this.#link?.append(this.#linked);
    setText(this.#linked, count === 0 ? "" : ` ${count}`);
    this.#linked.title = count === 0 ? "" : `${count} disabled or disconnected`;
  }

  #readNow(): void {
    for (const reading of this.#readings.keys()) void reading.refresh();
  }

  /** Says something that holds for the whole panel; nothing for an empty text. */
  protected note(text: string): void {
    setText(this.#note, text);
    this.#note.hidden = text === "";
  }

  /** Shows how old the values and what rows tell are, and why they are not younger, unless the top of the page says already who is `absent`. */
  showAge(now: number, absent: Absent): void {
    this.#absent = absent;
    const readings = [...this.#readings.keys()];
    const times = readings.map(({ readAt }) => readAt).filter((at) => at !== undefined);
    const oldest = times.length > 0 ? Math.min(...times) : undefined;
    const failure = readings.find((reading) => reading.failure !== undefined)?.failure;
    setText(this.#age, oldest === undefined ? "not read" : ago(now - oldest));
    this.#age.setAttribute(
      "aria-label",
      `${oldest === undefined ? "Not read yet" : `Read ${ago(now - oldest)}`}, read now`,
    );
    const isOld = [...this.#readings].some(([{ readAt = now }, periodMs]) => now - readAt > periodMs() + OLD_MS);
    this.#isOld = isOld || failure !== undefined || absent !== undefined;
    this.#section.classList.toggle("old", this.#isOld);
    const isSaid = absent !== undefined && absentOf(failure) !== undefined;
    const warnings = new Set(readings.map(({ warning }) => warning));
    const problem = failure === undefined || isSaid ? [...warnings].filter(Boolean).join(" ") : failureText(failure);
    setText(this.#problem, problem);
    this.#problem.title = statusWords(failure);
    this.#problem.hidden = problem === "";
    this.#refreshRows();
  }
}

/** Shared by all panels. */
export interface Parts {
  readonly api: ConsoleApi;
  readonly access: Access;
  readonly desk: CommandDesk;
  readonly polling: Polling;
  readonly records: Records;
  readonly trends: Trends;
}
