import type { Clock } from "../../core/clock.ts";
import type { BusOutput, Output } from "../../core/operations/table.ts";
import { type ProjectionKeys, printProjection, printProjectionPath } from "../../core/values/projection.ts";
import { type Attributes, nodePath, readPath } from "./node.ts";

interface NodeState {
  readonly halted: boolean;
  readonly reason: string;
  /** As the command wrote it. */
  readonly projectionPath: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** Halted nodes that share a set of keys. */
interface HaltedNodes {
  readonly keys: readonly string[];
  /** Why an order is refused, by node. */
  readonly refusals: Map<string, string>;
}

/**
 * Kill switch state of every node that had an event. Paths with the same segments in another order name the same
 * orders and are therefore one node. Halting or resuming one node leaves all others as they are (decision D-ENG 7).
 */
export class KillSwitch {
  readonly #known: ProjectionKeys;
  readonly #clock: Clock;
  readonly #states = new Map<string, NodeState>();
  readonly #halted = new Map<string, HaltedNodes>();

  constructor(known: ProjectionKeys, clock: Clock) {
    this.#known = known;
    this.#clock = clock;
  }

  /** Rejects a malformed path. */
  check(projectionPath: string): void {
    this.#nodeOf(projectionPath);
  }

  /** State of the node that `projectionPath` names, not of its ancestors. */
  status(projectionPath: string): Output<"getTradingStatus"> {
    const state = this.#states.get(this.#nodeOf(projectionPath).node);
    return { projectionPath, halted: state?.halted ?? false, reason: state?.reason ?? null };
  }

  list(): BusOutput<"listHalts"> {
    return [...this.#states.values()]
      .filter(({ halted }) => halted)
      .map(({ projectionPath, reason, since }) => ({ projectionPath, reason, since }));
  }

  halt(projectionPath: string, reason: string): void {
    const { node, keys } = this.#nodeOf(projectionPath);
    const group = this.#halted.get(printProjection(keys)) ?? { keys, refusals: new Map() };
    group.refusals.set(node, refusalText(projectionPath, reason));
    this.#halted.set(printProjection(keys), group);
    const before = this.#states.get(node);
    const since = before?.halted ? before.since : this.#clock.now();
    this.#states.set(node, { halted: true, reason, projectionPath, since });
  }

  resume(projectionPath: string, reason: string): void {
    const { node, keys } = this.#nodeOf(projectionPath);
    const group = this.#halted.get(printProjection(keys));
    group?.refusals.delete(node);
    if (group?.refusals.size === 0) this.#halted.delete(printProjection(keys));
    this.#states.set(node, { halted: false, reason, projectionPath, since: this.#clock.now() });
  }

  /** The node of a path: its segments, sorted by key. */
  #nodeOf(projectionPath: string): { node: string; keys: string[] } {
    const segments = readPath(projectionPath, this.#known).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    return { node: printProjectionPath(segments), keys: segments.map(({ key }) => key) };
  }

  /** Why an order with these attributes may not pass: the first halted node it belongs to. */
  refusal(attributes: Attributes): string | undefined {
    for (const { keys, refusals } of this.#halted.values()) {
      const node = nodePath(keys, attributes);
      const text = node === undefined ? undefined : refusals.get(node);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function refusalText(projectionPath: string, reason: string): string {
  if (projectionPath === "") return `5000 TRADING_IS_HALTED: trading is halted system-wide: ${reason}`;
  return `5013 SYMBOL_TRADING_IS_HALTED: trading is halted at ${projectionPath}: ${reason}`;
}
