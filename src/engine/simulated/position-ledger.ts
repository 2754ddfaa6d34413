import type { Decimal } from "decimal.js";
import { forEachInTurns, type Turns } from "../../core/load/turns.ts";
import { positionFilter } from "../../core/values/projection.ts";
import { EngineRejection } from "../engine.ts";
import { AggregateHolding } from "./aggregate-holding.ts";
import type { Adjustment, Holding } from "./holding.ts";
import { InstrumentHolding } from "./instrument-holding.ts";
import type { Market } from "./market.ts";
import { type Attributes, nodePath } from "./node.ts";
import type { Fill, Order } from "./order.ts";
import { PositionNode, type PositionRow } from "./position-node.ts";
import { legOf, shownKeys, type Unit, unitOf } from "./unit.ts";

/** Filters of a position request by their names in the API. */
type PositionFilters = Readonly<Record<string, string | undefined>>;

type PositionFilter = (node: PositionNode) => boolean;

/** Nodes, each counted as often as it has instruments, that can be listed in one short piece of work. */
const SHORT_LIST = 200;

/** The positions of one projection by node. An order that lacks a key of the projection belongs to none of its nodes. */
export class PositionLedger {
  readonly projection: string;
  readonly keys: readonly string[];
  readonly unit: Unit;
  readonly #market: Market;
  readonly #nodes = new Map<string, PositionNode>();

  constructor(projection: string, keys: readonly string[], market: Market) {
    this.projection = projection;
    this.unit = unitOf(keys);
    this.keys = keys;
    this.#market = market;
  }

  /** The node that an order belongs to, if anything ever happened there. */
  find(attributes: Attributes): PositionNode | undefined {
    const path = nodePath(this.keys, attributes);
    return path === undefined ? undefined : this.#nodes.get(path);
  }

  /** `size` of an order began to work (`sign` 1) or stopped (-1). */
  addOpen(order: Order, size: Decimal, sign: 1 | -1): void {
    this.#obtain(order.attributes)?.addOpen(legOf(this.unit, order, size, order.price), sign);
  }

  book(fill: Fill): void {
    this.#obtain(fill.order.attributes)?.book(fill);
  }

  /** Adjusts one node, which need not exist yet; a rejected adjustment does not create it. */
  adjust(attributes: Attributes, adjustment: Adjustment): void {
    const node = this.find(attributes) ?? this.#newNode(attributes);
    node?.adjust(adjustment);
    if (node) this.#nodes.set(node.path, node);
  }

  /** Whether all positions can be listed in one short piece of work. */
  get isShort(): boolean {
    let length = 0;
    for (const node of this.#nodes.values()) {
      length += Math.max(1, node.instruments);
      if (length > SHORT_LIST) return false;
    }
    return true;
  }

  list(matches: PositionFilter): PositionRow[] {
    return [...this.#nodes.values()].filter(matches).map(({ row }) => row);
  }

  /** The same for a long list: each position as it is at some moment before the promise resolves. */
  async listInTurns(matches: PositionFilter, turns: Turns): Promise<PositionRow[]> {
    const rows: PositionRow[] = [];
    await forEachInTurns(turns, this.#nodes.values(), (node) => {
      if (matches(node)) rows.push(node.row);
    });
    return rows;
  }

  /** Makes one filter of those of a request; rejects one on a key that the projection does not hold. */
  filterOf(filters: PositionFilters): PositionFilter {
    const wanted = this.#wanted(filters);
    return ({ attributes }) => wanted.every(([key, value]) => attributes[key] === value);
  }

  /** Required values by projection key. */
  #wanted(filters: PositionFilters): [key: string, value: string][] {
    const keyOf = new Map(shownKeys(this.keys).map((key) => [positionFilter(key), key]));
    const wanted: [string, string][] = [];
    for (const [filter, value] of Object.entries(filters)) {
      if (value === undefined) continue;
      const key = keyOf.get(filter);
      if (key === undefined) throw this.#noSuchFilter(filter, keyOf.keys());
      wanted.push([key, value]);
    }
    return wanted;
  }

  #noSuchFilter(filter: string, known: Iterable<string>): EngineRejection {
    const filters = [...known].join(", ");
    return new EngineRejection(
      "rejected",
      `filter "${filter}" does not apply to projection "${this.projection}", only these do: ${filters}`,
    );
  }

  #obtain(attributes: Attributes): PositionNode | undefined {
    const found = this.find(attributes);
    if (found) return found;
    const node = this.#newNode(attributes);
    if (node) this.#nodes.set(node.path, node);
    return node;
  }

  #newNode(attributes: Attributes): PositionNode | undefined {
    const path = nodePath(this.keys, attributes);
    return path === undefined ? undefined : new PositionNode(this.keys, path, attributes, this.#newHolding(attributes));
  }

  #newHolding(attributes: Attributes): Holding {
    if (this.unit !== "instrument") return new AggregateHolding(this.#market, this.unit);
    return new InstrumentHolding(this.#market.quote(attributes.Symbol ?? ""));
  }
}
