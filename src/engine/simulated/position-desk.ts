import type { Decimal } from "decimal.js";
import { ENGINE_CALLER } from "../../core/load/caller-queue.ts";
import { Sequences } from "../../core/load/concurrency.ts";
import type { Gate } from "../../core/load/gate.ts";
import type { EngineInput } from "../../core/operations/table.ts";
import { exact } from "../../core/values/exact-decimal.ts";
import { type ProjectionKeys, parseProjection } from "../../core/values/projection.ts";
import { EngineRejection } from "../engine.ts";
import type { Adjustment } from "./holding.ts";
import type { Market } from "./market.ts";
import { attributesOf, keySet, readPath } from "./node.ts";
import type { Fill, Order } from "./order.ts";
import { PositionLedger } from "./position-ledger.ts";
import type { PositionRow } from "./position-node.ts";

/** All ledgers of positions: those of the configured projections, and those that only risk limits look at. */
export class PositionDesk {
  readonly #known: ProjectionKeys;
  readonly #market: Market;
  readonly #configured: ReadonlyMap<string, PositionLedger>;
  /** Ledgers by key set: a limit on the keys of a position projection sees that projection's adjustments. */
  readonly #ledgers = new Map<string, PositionLedger>();
  readonly #gate: Gate;
  /** Long lists, one after the other: any number of them delays other requests no more than one does. */
  readonly #longLists = new Sequences();

  constructor(projections: readonly string[], known: ProjectionKeys, market: Market, gate: Gate) {
    this.#known = known;
    this.#market = market;
    this.#gate = gate;
    this.#configured = new Map(projections.map((projection) => [projection, this.track(projection)]));
  }

  /** The ledger of a projection, made when there is none yet. Orders have to come after the last call. */
  track(projection: string): PositionLedger {
    const keys = parseProjection(projection, this.#known);
    const ledger = this.#ledgers.get(keySet(keys)) ?? new PositionLedger(projection, keys, this.#market);
    this.#ledgers.set(keySet(keys), ledger);
    return ledger;
  }

  /** A short list immediately, a long one at turns. */
  list({ projection = "", ...filters }: EngineInput<"listPositions">): PositionRow[] | Promise<PositionRow[]> {
    const ledger = this.#configured.get(projection);
    if (!ledger)
      throw new EngineRejection("rejected", `"${projection}" is not a position projection; ${this.#choice()}`);
    const matches = ledger.filterOf(filters);
    if (ledger.isShort) return ledger.list(matches);
    return this.#longLists.run(ENGINE_CALLER, () => ledger.listInTurns(matches, this.#gate.turns(ENGINE_CALLER)));
  }

  /** Adjusts the one node that the path names, in whatever order its segments stand (decision D-ENG 8). */
  adjust(input: EngineInput<"adjustPosition">): null {
    const segments = readPath(input.projectionPath, this.#known);
    const keys = keySet(segments.map(({ key }) => key));
    const ledger = [...this.#configured.values()].find((other) => keySet(other.keys) === keys);
    if (!ledger) {
      const reason = `"${input.projectionPath}" names no node of a position projection; ${this.#choice()}`;
      throw new EngineRejection("rejected", reason);
    }
    ledger.adjust(attributesOf(segments), readAdjustment(input));
    return null;
  }

  addOpen(order: Order, size: Decimal, sign: 1 | -1): void {
    for (const ledger of this.#ledgers.values()) ledger.addOpen(order, size, sign);
  }

  book(fill: Fill): void {
    for (const ledger of this.#ledgers.values()) ledger.book(fill);
  }

  #choice(): string {
    const names = [...this.#configured.keys()].join(", ");
    return names === "" ? "none is configured" : `configured are: ${names}`;
  }
}

function readAdjustment(input: EngineInput<"adjustPosition">): Adjustment {
  return {
    size: exact(input.size),
    relative: input.relative,
    averageCost: readTracked(input.averageCost),
    realizedPnL: readTracked(input.realizedPnL),
  };
}

function readTracked(text: string | undefined): Decimal | null | undefined {
  if (text === undefined) return undefined;
  return text === "NaN" ? null : exact(text);
}
