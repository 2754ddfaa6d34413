import type { CommandFacts, Journal, Receipt, Trouble } from "../journal.ts";
import type { CommandEvent, Plan } from "../plan.ts";

/** A rule that was broken, for people. */
export interface Violation {
  /** The broken promise. */
  readonly rule: string;
  readonly message: string;
}

export interface Happened {
  readonly plan: Plan;
  readonly journal: Journal;
  readonly commands: readonly Judged[];
  /** Texts of the audit files, by gateway. */
  readonly files: readonly string[];
  /** The engine's clock at the beginning of the world, by its lives, of which the first is 1. */
  readonly engineAhead: readonly number[];
}

export type Rule = (happened: Happened) => Violation[];

// The product's own table of operations is not used: what a rule needs is stated here again.
const UNDOES: Readonly<Record<string, string>> = {
  resumeTrading: "haltTrading",
  enableService: "disableService",
  enableFixSession: "disableFixSession",
};
const STOPS: ReadonlySet<string> = new Set([
  "haltTrading",
  "disableService",
  "disableFixSession",
  "disconnectFixSession",
]);

/** How long after a pause what is read still counts as having waited, with the pace at which pauses are looked for. */
const AFTER_PAUSE_MS = 51;

/** A command, with what the rules ask about it. */
export class Judged {
  readonly facts: CommandFacts;
  readonly isStop: boolean;
  readonly steps: readonly string[];
  /** The first and the last moment that may count as its arrival, by the world's time. */
  readonly earliest: number;
  readonly latest: number;
  readonly #troubles: readonly Trouble[];

  constructor(facts: CommandFacts, troubles: readonly Trouble[]) {
    this.facts = facts;
    this.#troubles = troubles;
    this.isStop = STOPS.has(facts.command.operation);
    this.steps = stepsOf(facts.command);
    const receipt = this.receipt;
    const taken = facts.latest ?? Number.POSITIVE_INFINITY;
    this.latest = receipt && receipt.arrived === undefined ? receipt.at : taken;
    this.earliest = this.#sincePause(taken) ?? facts.earliest;
  }

  get id(): string {
    return this.facts.command.id;
  }

  get gateway(): number {
    return this.facts.command.gateway;
  }

  get receipt(): Receipt | undefined {
    return this.facts.receipts[0];
  }

  /** How far the time that it was sent with may be off, with the millisecond of a clock. */
  get within(): number {
    return (this.receipt?.within ?? 0) + 1;
  }

  covers(other: Judged): boolean {
    return this.isStop && this.steps.every((step) => other.steps.includes(step));
  }

  /** Whether it takes back what the stop has stopped. */
  undoes(stop: Judged): boolean {
    const isSame = this.steps.length === stop.steps.length && this.steps.every((step) => stop.steps.includes(step));
    return isSame && UNDOES[this.facts.command.operation] === stop.facts.command.operation;
  }

  /** Whether it arrived so much later than another that no engine may be in doubt: times are off by so much, and the doubt is as large. */
  isLaterThan(other: Judged): boolean {
    return this.earliest - 2 * this.within > other.latest + 2 * other.within;
  }

  /** Whether an engine may have been certain that it arrived later than another. */
  mayBeLaterThan(other: Judged): boolean {
    return this.latest + this.within >= other.earliest;
  }

  /** Whether something was wrong at its gateway, from a time before it came until it had its answer. */
  met(kinds: readonly Trouble["kind"][], sinceMs = 0): boolean {
    return this.#met(kinds, this.gateway, this.#from - sinceMs, this.#to);
  }

  /** The same of the engine. */
  engineMet(kinds: readonly Trouble["kind"][], sinceMs = 0): boolean {
    return this.#met(kinds, "engine", this.#from - sinceMs, this.#to);
  }

  /** Whether something was wrong at its gateway until the end of the history. */
  metLater(kinds: readonly Trouble["kind"][]): boolean {
    return this.#met(kinds, this.gateway, this.#from, Number.POSITIVE_INFINITY);
  }

  /** Whether its gateway had heard of the engine that received it, whose clock it could know by then. */
  get couldKnowClock(): boolean {
    return this.facts.knownLife !== undefined && this.facts.knownLife === this.receipt?.life;
  }

  get #from(): number {
    return Math.min(this.earliest, this.facts.earliest);
  }

  get #to(): number {
    return this.facts.told?.at ?? Number.POSITIVE_INFINITY;
  }

  #met(kinds: readonly Trouble["kind"][], where: Trouble["process"], since: number, until: number): boolean {
    return this.#troubles.some(
      ({ kind, process, from, to }) => kinds.includes(kind) && process === where && from <= until && to >= since,
    );
  }

  #sincePause(taken: number): number | undefined {
    const pause = this.#troubles.find(
      ({ kind, process, from, to }) =>
        kind === "paused" && process === this.gateway && from <= taken && to + AFTER_PAUSE_MS >= taken,
    );
    return pause && pause.from - AFTER_PAUSE_MS;
  }
}

/** Target of a command, from the whole system downwards. */
function stepsOf({ input }: CommandEvent): string[] {
  const path = input.projectionPath;
  if (typeof path === "string") return path.match(/[^/[\]]+\[[^\]]*\]/g) ?? [];
  return Object.entries(input).map(([key, value]) => `${key}=${value}`);
}

/** Effects in the order in which they came, of one life of the engine each. */
export function effectsOf(commands: readonly Judged[]): { command: Judged; at: number; life: number }[] {
  return commands
    .flatMap((command) => command.facts.effects.map((effect) => ({ command, ...effect })))
    .toSorted((a, b) => a.at - b.at);
}

/** How long a read of the engine's clock that failed is not repeated, with the time for which it was waited for. */
const READ_AGAIN_MS = 5_500;

/** Whether its gateway could not know the clock of the engine that received it. A change waits for a read first, a stop does not. */
export function mayLackArrival(command: Judged): boolean {
  if (command.couldKnowClock) return false;
  const isRefused = isOfFormerLife(command) && command.receipt?.reply === "unavailable";
  return command.isStop || isRefused || couldNotRead(command);
}

/** Whether it is a change for an engine that has ended since, as far as its gateway could know. */
export function isOfFormerLife({ isStop, couldKnowClock, facts: { knownLife } }: Judged): boolean {
  return !isStop && knownLife !== undefined && !couldKnowClock;
}

/** Whether the engine could not be read, or not a moment ago. */
function couldNotRead(command: Judged): boolean {
  return (
    command.met(["reads down", "reads frozen", "paused"], READ_AGAIN_MS) ||
    command.engineMet(["dead", "paused", "engine trouble"], READ_AGAIN_MS)
  );
}
