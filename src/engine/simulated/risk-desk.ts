import type { Decimal } from "decimal.js";
import type { EngineInput, Output } from "../../core/operations/table.ts";
import { exact, ZERO } from "../../core/values/exact-decimal.ts";
import { type ProjectionKeys, parseProjection } from "../../core/values/projection.ts";
import { EngineRejection } from "../engine.ts";
import type { Installation } from "./installation-schema.ts";
import { breach, limitDefinition, type Measures } from "./limits.ts";
import { nodePath } from "./node.ts";
import { notional, type Order, type Side, signed } from "./order.ts";
import type { PositionDesk } from "./position-desk.ts";
import type { PositionLedger } from "./position-ledger.ts";
import { RiskTable } from "./risk-table.ts";
import { legOf } from "./unit.ts";

/** A table together with what its limits look at. */
interface Control {
  readonly table: RiskTable;
  /** Present when the table limits positions. */
  readonly ledger: PositionLedger | undefined;
  /** Number of open orders by node. */
  readonly openOrders: Map<string, number>;
}

const ONE = exact("1");

/** The risk tables and their enforcement on orders. */
export class RiskDesk {
  readonly #controls = new Map<string, Control>();
  readonly #rejectUnmatched: boolean;

  constructor(risk: Installation["risk"], known: ProjectionKeys, positions: PositionDesk) {
    this.#rejectUnmatched = risk["reject-unmatched-orders"];
    for (const [projection, table] of Object.entries(risk.tables)) {
      const limitsPositions = table.limits.some((name) => limitDefinition(name)?.needsPosition);
      this.#controls.set(projection, {
        table: new RiskTable(projection, parseProjection(projection, known), table),
        ledger: limitsPositions ? positions.track(projection) : undefined,
        openOrders: new Map(),
      });
    }
  }

  read(projection: string): Output<"getRiskTable"> {
    return this.#table(projection).read();
  }

  /** Applies all commands or none, and returns the table after them. */
  update({ projection, commands }: EngineInput<"updateRiskTable">): Output<"updateRiskTable"> {
    const table = this.#table(projection);
    table.update(commands);
    return table.read();
  }

  #table(projection: string): RiskTable {
    const control = this.#controls.get(projection);
    if (control) return control.table;
    const names = [...this.#controls.keys()].map((name) => `"${name}"`).join(", ") || "none";
    throw new EngineRejection("rejected", `"${projection}" has no risk table; configured are: ${names}`);
  }

  /** Why an order may not pass: the first limit that it would exceed, table by table. */
  refusal(order: Order): string | undefined {
    for (const control of this.#controls.values()) {
      const reason = this.#refusalBy(control, order);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #refusalBy(control: Control, order: Order): string | undefined {
    const { projection, keys, columns } = control.table.form;
    const row = control.table.rowFor(order.attributes);
    if (!row) {
      return this.#rejectUnmatched
        ? `5014 NO_RISK_LIMIT: no row of risk table "${projection}" matches the order`
        : undefined;
    }
    const node = nodePath(keys, order.attributes) ?? "";
    const measures = measure(control, order, node);
    for (const name of columns) {
      const reason = breach(name, row.limits[name] ?? null, measures, node);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  /** Counts an order that began to work (`change` 1) or stopped (-1). */
  countOpen(order: Order, change: 1 | -1): void {
    for (const { table, openOrders } of this.#controls.values()) {
      const node = nodePath(table.form.keys, order.attributes);
      if (node === undefined) continue;
      const count = (openOrders.get(node) ?? 0) + change;
      if (count === 0) openOrders.delete(node);
      else openOrders.set(node, count);
    }
  }
}

function measure({ ledger, openOrders }: Control, order: Order, node: string): Measures {
  return {
    orderSize: order.size,
    orderNotional: notional(order.instrument, order.size, order.price),
    longPosition: ledger ? reach(ledger, order, "Buy") : null,
    shortPosition: ledger ? reach(ledger, order, "Sell") : null,
    openOrders: ONE.times((openOrders.get(node) ?? 0) + 1),
  };
}

/** Position of the node towards a side if all its open orders of that side and this order were filled. */
function reach(ledger: PositionLedger, order: Order, side: Side): Decimal | null {
  const leg = legOf(ledger.unit, order, order.size, order.price);
  if (leg.side !== side) return null;
  const node = ledger.find(order.attributes);
  const open = node?.openSize(side) ?? ZERO;
  return signed(side, node?.size ?? ZERO)
    .plus(open)
    .plus(leg.size);
}
