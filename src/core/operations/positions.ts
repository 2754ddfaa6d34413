import { z } from "zod";
import { decimalOrNaN, decimalString, nullableDecimal } from "../values/decimal.ts";
import { type ProjectionKeys, STANDARD_PROJECTION_KEYS } from "../values/projection.ts";
import { projectionField, projectionPathField, text } from "./fields.ts";
import { empty, operation } from "./operation.ts";

/** Keys of which a position projection must hold one; `symbol` carries the value of the first that is present. */
export const SYMBOL_KEYS = ["Symbol", "RootSymbol", "Currency"] as const;

const symbolKeys: ReadonlySet<string> = new Set(SYMBOL_KEYS);

/** Field of a position that carries the value of a projection key. */
export function positionField(key: string): string {
  return symbolKeys.has(key) ? "symbol" : key.charAt(0).toLowerCase() + key.slice(1);
}

/** Filter of `POST /positions` for a projection key: the field's name, but `traderId` for `Trader` (decision D-VAL 6). */
export function positionFilter(key: string): string {
  return key === "Trader" ? "traderId" : positionField(key);
}

const standardFields = new Set(STANDARD_PROJECTION_KEYS.map(positionField));

const keyValue = z.string().optional();

/** Position of one node (specification, "Position"); key fields outside its projection are absent. */
export const position = z.object({
  projection: z.string().meta({ description: "Projection path of the position." }),
  source: keyValue,
  destination: keyValue,
  account: keyValue,
  trader: keyValue,
  traderGroup: keyValue,
  exchange: keyValue,
  userData: keyValue,
  symbol: keyValue,
  moduleKey: keyValue,
  portfolioKey: keyValue,
  size: nullableDecimal.meta({ description: "Negative for a short position." }),
  averageCost: nullableDecimal,
  realizedPnL: nullableDecimal,
  unrealizedPnL: nullableDecimal,
  marketValue: nullableDecimal,
  totalCommission: nullableDecimal,
  openBuySize: nullableDecimal.meta({ description: "Size of open buy orders." }),
  openSellSize: nullableDecimal.meta({ description: "Size of open sell orders." }),
});

const filter = text.optional();

const adjustment = {
  size: decimalString.meta({ description: "New size, or the change when `relative` is true." }),
  relative: z
    .boolean({ error: "must be true or false" })
    .default(false)
    .meta({ description: "true adds to the current value, false replaces it." }),
  averageCost: decimalOrNaN.optional(),
  realizedPnL: decimalOrNaN.optional(),
};

/** Position operations; their types are inferred from the schemas. */
export function positionOperations(keys: ProjectionKeys) {
  const additional = [...keys].map(positionField).filter((field) => !standardFields.has(field));
  // Fields that only settings know have no place in the types: those stay what the specification says.
  const additionalFields = (field: z.ZodType): Record<never, z.ZodType> =>
    Object.fromEntries(additional.map((name) => [name, field]));
  const query = z.strictObject({
    projection: projectionField(keys, "Account/Symbol", "Source/Account/Symbol"),
    source: filter,
    destination: filter,
    account: filter,
    traderId: filter,
    traderGroup: filter,
    exchange: filter,
    userData: filter,
    symbol: filter.meta({ description: "Also matches Currency and RootSymbol projections." }),
    moduleKey: filter,
    portfolioKey: filter,
  });
  return {
    listPositions: operation({
      method: "POST",
      path: "/positions",
      permission: null,
      lane: "read",
      tag: "Positions",
      summary: "Positions of a projection",
      in: "body",
      input: query.extend(additionalFields(filter)),
      output: z.array(position.extend(additionalFields(keyValue)).meta({ id: "Position" })),
      target: ["projection"],
    }),
    adjustPosition: operation({
      method: "POST",
      path: "/positions/adjust",
      permission: "POSITION_ADJUSTMENT",
      lane: "change",
      tag: "Positions",
      direction: "neutral",
      summary: "Set or change the position of a node",
      in: "body",
      input: z.strictObject({ projectionPath: projectionPathField(keys, "Account[GOLD]/Symbol[AAPL]"), ...adjustment }),
      output: empty,
      target: ["projectionPath"],
    }),
  };
}
