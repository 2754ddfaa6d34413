import { decimalString } from "../../core/values/decimal.ts";
import { exact } from "../../core/values/exact-decimal.ts";
import type { ProjectionKeys } from "../../core/values/projection.ts";
import type { Installation } from "./installation-schema.ts";
import type { Instrument, Market } from "./market.ts";
import type { Attributes } from "./node.ts";
import type { Order, OrderRequest } from "./order.ts";

/** Reads order requests against the installation: instruments, traders and their groups. */
export class OrderIntake {
  readonly #known: ProjectionKeys;
  readonly #market: Market;
  readonly #groups: ReadonlyMap<string, string | undefined>;

  constructor(known: ProjectionKeys, market: Market, traders: Installation["traders"]) {
    this.#known = known;
    this.#market = market;
    this.#groups = new Map(Object.entries(traders).map(([name, { group }]) => [name, group]));
  }

  /** The order that a request asks for, or the reason why it is none. */
  read(request: OrderRequest, id: string, timestamp: number): Order | string {
    const { symbol, side, size, price, attributes } = request;
    const quote = this.#market.quote(symbol);
    if (!quote) return `unknown symbol "${symbol}"`;
    const fault = this.#attributeFault(attributes) ?? sizeFault(size) ?? priceFault(price);
    if (fault !== undefined) return fault;
    const { instrument, mark } = quote;
    const limitPrice = price === undefined ? undefined : exact(price);
    return {
      id,
      instrument,
      attributes: this.#complete(attributes, instrument),
      side,
      size: exact(size),
      limitPrice,
      price: limitPrice ?? mark,
      timestamp,
    };
  }

  #attributeFault(attributes: Attributes): string | undefined {
    for (const [key, value] of Object.entries(attributes)) {
      if (!this.#known.has(key)) return `unknown projection key "${key}"`;
      if (value === "" || value.includes("]/"))
        return `${key}: ${JSON.stringify(value)} cannot stand in a projection path`;
    }
    return undefined;
  }

  #complete(given: Attributes, { symbol, rootSymbol, currency, exchange }: Instrument): Attributes {
    const group = given.Trader === undefined ? undefined : this.#groups.get(given.Trader);
    const { RootSymbol: _, ...rest } = given;
    return {
      ...(group !== undefined && { TraderGroup: group }),
      ...rest,
      Symbol: symbol,
      ...(rootSymbol !== undefined && { RootSymbol: rootSymbol }),
      Currency: currency,
      Exchange: exchange,
    };
  }
}

function sizeFault(size: string): string | undefined {
  if (decimalString().safeParse(size).success && exact(size).gt(0)) return undefined;
  return `size: ${JSON.stringify(size)} is not a decimal greater than zero`;
}

function priceFault(price: string | undefined): string | undefined {
  if (price === undefined || decimalString().safeParse(price).success) return undefined;
  return `price: ${JSON.stringify(price)} is not a decimal`;
}
