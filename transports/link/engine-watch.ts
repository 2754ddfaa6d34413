import { harmless } from "../../src/core/host-calls.ts";
import { functionLike, requireArgument } from "../../src/core/options.ts";
import type { LinkEvent } from "./link.ts";

/** An engine process, as it says of itself. */
export interface EngineInstance {
  /** Another one after each start. */
  readonly id: string;
  /** The same for processes that share their state. */
  readonly stateId: string;
}

const MAX_ID_LENGTH = 64;

/** An engine as it calls itself; ids get into the log. */
export function engineInstance(id: string, stateId?: string): EngineInstance {
  const shown = (text: string): string => text.slice(0, MAX_ID_LENGTH).replace(/[^\w.:-]/g, "?");
  return { id: shown(id), stateId: shown(stateId || id) };
}

/** Rounds in a row that show separate states before they are reported: an engine that takes over overlaps with the one before. */
const SPLIT_ROUNDS = 2;

/** How many engines a message names. */
const MAX_NAMED = 5;

/**
 * What is known of the engines behind a link: whether any listens, whether they share one state, and whether one was restarted
 * (docs/engine/bus.md, "Several engines"). Links to one engine may share it, so that each of this is reported once.
 */
export class EngineWatch {
  readonly #onEvent: (event: LinkEvent) => void;
  /** Links over which no engine is found. */
  readonly #without = new Set<object>();
  /** The link whose word counts for which engines there are: two links may see them come and go at different moments. */
  #lead: object | undefined;
  #latest: readonly EngineInstance[] = [];
  #stateId: string | undefined;
  #splitRounds = 0;
  #reportedSplit = "";

  constructor(onEvent: (event: LinkEvent) => void) {
    requireArgument("EngineWatch", "onEvent", onEvent, functionLike("(event) => log(event.message)"));
    this.#onEvent = harmless("`onEvent` of the host", onEvent);
  }

  /** Separate states among which requests are shared: 1 in good order, 0 before an engine has said what it is. */
  get states(): number {
    if (this.#splitRounds >= SPLIT_ROUNDS) return statesOf(this.#latest).length;
    return Math.min(1, this.#latest.length);
  }

  /** No engine is found over a link; `message` says so. */
  gone(link: object, message: string): void {
    const isFirst = this.#without.size === 0;
    this.#without.add(link);
    if (isFirst) this.#onEvent({ kind: "gone", message });
  }

  /** An engine is found over a link. */
  here(link: object): void {
    if (this.#without.delete(link) && this.#without.size === 0) {
      this.#onEvent({ kind: "here", message: "An engine listens again" });
    }
  }

  /** A link was closed: it says nothing of the engines any more. */
  closed(link: object): void {
    this.#without.delete(link);
    if (this.#lead === link) this.#lead = undefined;
  }

  /** The engines that a link has just found; at least one. Returns whether this shows that the engine was restarted. */
  found(link: object, instances: readonly EngineInstance[]): boolean {
    this.#lead ??= link;
    if (this.#lead !== link) return false;
    const isAnother = this.#compare(instances);
    this.#latest = instances;
    this.#splitRounds = statesOf(instances).length > 1 ? this.#splitRounds + 1 : 0;
    this.#reportSplit();
    return isAnother;
  }

  /** Another state than before, or none of the processes that there were: what was not kept is lost. */
  #compare(instances: readonly EngineInstance[]): boolean {
    const before = this.#stateId;
    const known = new Set(this.#latest.map(({ id }) => id));
    const isSameState = instances.some(({ stateId }) => stateId === before);
    if (!isSameState) this.#stateId = instances[0]?.stateId;
    if (before === undefined || (isSameState && instances.some(({ id }) => known.has(id)))) return false;
    const message = `The engine was restarted, or another one has taken its place (${named(instances)}); it may have forgotten halts`;
    this.#onEvent({ kind: "restarted", message });
    return true;
  }

  #reportSplit(): void {
    const states = this.#splitRounds >= SPLIT_ROUNDS ? statesOf(this.#latest).toSorted().join(" ") : "";
    if (states === this.#reportedSplit || (states === "" && this.#splitRounds > 0)) return;
    this.#reportedSplit = states;
    this.#onEvent(states === "" ? ONE_STATE : { kind: "split", message: splitWords(this.#latest) });
  }
}

const ONE_STATE: LinkEvent = { kind: "here", message: "The engines that listen have one state again" };

function splitWords(instances: readonly EngineInstance[]): string {
  return (
    `${statesOf(instances).length} engines with separate states listen to the same requests (${named(instances)}): which of them carries out a ` +
    "command, or answers a read, is chance. End all but one, or let engines that share their state declare one state id"
  );
}

function statesOf(instances: readonly EngineInstance[]): string[] {
  return [...new Set(instances.map(({ stateId }) => stateId))];
}

function named(instances: readonly EngineInstance[]): string {
  const ids = instances.slice(0, MAX_NAMED).map(({ id }) => id);
  const more = instances.length - ids.length;
  return `${ids.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
