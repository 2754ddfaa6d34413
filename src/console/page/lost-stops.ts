import { type LostStop, lostWords } from "../../core/stops/words.ts";
import { element, setBreakable } from "../../pages/dom.ts";
import type { Access } from "./access.ts";
import type { CommandDesk } from "./command-desk.ts";
import { type LastingStop, type PageCommand, pageCommand, UNDO } from "./commands.ts";
import { PHONE } from "./fold.ts";

/** Further ones are behind a line that says how many they are: the banner must not fill a screen. */
const MAX_SHOWN = { phone: 2, desk: 5 };

/** The banner of what the engine has forgotten: stops that were applied, that nobody has taken back, and that it no longer shows. */
export class LostStops {
  readonly #access: Access;
  readonly #desk: CommandDesk;
  readonly banner = element("div", { className: "lost" });
  #shown = "";

  constructor(access: Access, desk: CommandDesk) {
    this.#access = access;
    this.#desk = desk;
    this.banner.setAttribute("role", "alert");
  }

  show(lost: readonly LostStop[]): void {
    // An alert is read out again whenever it changes.
    const text = JSON.stringify(lost);
    if (text === this.#shown) return;
    this.#shown = text;
    const count = PHONE.matches ? MAX_SHOWN.phone : MAX_SHOWN.desk;
    const ordered = [...lost].sort((left, right) => reachOf(right) - reachOf(left));
    const lines = ordered.map((stop) => this.#line(stop));
    const more = lines.splice(count);
    this.banner.replaceChildren(...lines, ...(more.length > 0 ? [folded(more)] : []));
  }

  #line(stop: LostStop): HTMLElement {
    const words = element("span");
    setBreakable(words, `${lostWords(stop, Date.now())}.`);
    const { operation } = stop;
    const buttons = isLasting(operation) ? [this.#again(operation, stop), this.#intended(operation, stop)] : [];
    return element("p", {}, [words, element("span", { className: "lost-buttons" }, buttons)]);
  }

  #again(operation: LastingStop, stop: LostStop): HTMLElement {
    return operation === "haltTrading"
      ? this.#access.button("Halt again", operation, () => this.#desk.askHalt(stop.target))
      : this.#access.button("Disable again", operation, () => this.#desk.ask(commandFor(operation, stop)));
  }

  /** Somebody at the engine has taken the stop back on purpose: the same command here ends the warning. */
  #intended(operation: LastingStop, stop: LostStop): HTMLElement {
    const undo = UNDO[operation];
    const button = this.#access.button("It was intended…", undo, () => {
      const state = `${lostWords(stop, Date.now())}. If that was intended, this command ends the warning.`;
      this.#desk.ask({ ...commandFor(undo, stop), state });
    });
    button.classList.add("quiet");
    return button;
  }
}

/** Halts before all else, that of everything first. */
function reachOf({ operation, target }: LostStop): number {
  if (operation !== "haltTrading") return 0;
  return target === "" ? 2 : 1;
}

function isLasting(operation: string): operation is LastingStop {
  return Object.hasOwn(UNDO, operation);
}

function folded(lines: readonly HTMLElement[]): HTMLElement {
  const words = `${lines.length} more that the engine forgot`;
  return element("details", {}, [element("summary", {}, [words]), ...lines]);
}

/** A command for what was stopped: a node, a service or a session. */
function commandFor(
  operation: LastingStop | (typeof UNDO)[LastingStop],
  { targetFields: { projectionPath = "", name = "", gateway = "", session = "" } }: LostStop,
): PageCommand {
  if (operation === "haltTrading" || operation === "resumeTrading") return pageCommand(operation, { projectionPath });
  if (operation === "disableService" || operation === "enableService") return pageCommand(operation, { name });
  return pageCommand(operation, { gateway, session });
}
