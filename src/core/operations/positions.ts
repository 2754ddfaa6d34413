import { z } from "zod";
import { once } from "../values/basics.ts";
import { decimalOrNaN, decimalString, nullableDecimal } from "../values/decimal.ts";
import { compareDecimals, exactSum } from "../values/decimal-text.ts";
import {
  type PathSegment,
  type ProjectionKeys,
  parseProjectionPath,
  positionField,
  positionFilter,
  printProjection,
  STANDARD_PROJECTION_KEYS,
} from "../values/projection.ts";
import { ACCEPTED, ACCEPTED_BY_ENGINE, empty, projectionField, projectionPathField, text } from "./fields.ts";
import { type Direction, operation } from "./operation.ts";
import { nodeKey } from "./target.ts";

const standardFields = new Set(STANDARD_PROJECTION_KEYS.map(positionField));

const keyValue = once(() => z.string().optional());

/** Position of one node (specification, "Position"); key fields outside its projection are absent. */
export const position = once(() =>
  z.object({
    projection: z.string().meta({ description: "Projection path of the position." }),
    source: keyValue(),
    destination: keyValue(),
    account: keyValue(),
    trader: keyValue(),
    traderGroup: keyValue(),
    exchange: keyValue(),
    userData: keyValue(),
    symbol: keyValue(),
    moduleKey: keyValue(),
    portfolioKey: keyValue(),
    size: nullableDecimal().meta({ description: "Negative for a short position." }),
    averageCost: nullableDecimal(),
    realizedPnL: nullableDecimal(),
    unrealizedPnL: nullableDecimal(),
    marketValue: nullableDecimal(),
    totalCommission: nullableDecimal(),
    openBuySize: nullableDecimal().meta({ description: "Size of open buy orders." }),
    openSellSize: nullableDecimal().meta({ description: "Size of open sell orders." }),
  }),
);

const filter = once(() => text().optional());

const adjustment = once(() => ({
  size: decimalString().meta({ description: "New size, or the change when `relative` is true." }),
  relative: z
    .boolean({ error: "must be true or false" })
    .default(false)
    .meta({ description: "true adds to the current value, false replaces it." }),
  averageCost: decimalOrNaN().optional(),
  realizedPnL: decimalOrNaN().optional(),
}));

const NODE = "Account[GOLD]/Symbol[AAPL]";

const shortPosition = {
  projection: "Account[GOLD]/Symbol[EUR/USD]",
  account: "GOLD",
  symbol: "EUR/USD",
  size: "-250000",
  averageCost: "1.08505",
  realizedPnL: "1250.5",
  unrealizedPnL: "-37.5",
  marketValue: "-271300",
  totalCommission: "13.56",
  openBuySize: "100000",
  openSellSize: "0",
};
/** The query that finds the position of a node. */
function positionQuery(path: readonly PathSegment[]): Record<string, string> {
  const filters = path.map(({ key, value }) => [positionFilter(key), value] as const);
  // The first key that is a symbol's gives the symbol.
  return { projection: printProjection(path.map(({ key }) => key)), ...Object.fromEntries(filters.reverse()) };
}

export function positionOperations(keys: ProjectionKeys) {
  const additional = [...keys].map(positionField).filter((field) => !standardFields.has(field));
  // Fields that only settings know have no place in the types: those stay what the specification says.
  const additionalFields = (field: z.ZodType): Record<never, z.ZodType> =>
    Object.fromEntries(additional.map((name) => [name, field]));
  const query = once(() =>
    z.strictObject({
      projection: projectionField(keys, "Account/Symbol", "Source/Account/Symbol"),
      source: filter(),
      destination: filter(),
      account: filter(),
      traderId: filter(),
      traderGroup: filter(),
      exchange: filter(),
      userData: filter(),
      symbol: filter().meta({ description: "Also matches Currency and RootSymbol projections." }),
      moduleKey: filter(),
      portfolioKey: filter(),
    }),
  );
  return {
    listPositions: operation({
      method: "POST",
      path: "/positions",
      permission: null,
      lane: "read",
      tag: "Positions",
      summary: "Positions of a projection",
      description:
        "Read-only despite POST. The projection has to be configured in the engine. Each given filter narrows the result; " +
        "positions are returned across all order sources.",
      engineNotes:
        "The filters are named after projection keys, traderId after Trader. An installation with projection keys of its " +
        "own has filters of those names too, the first letter in lower case; in the result likewise.",
      input: () => query().extend(additionalFields(filter())),
      output: () => z.array(position().extend(additionalFields(keyValue())).meta({ id: "Position" })),
      target: ["projection"],
      examples: [
        {
          summary: "Positions of one account by symbol",
          input: { projection: "Account/Symbol", account: "GOLD" },
          output: [shortPosition],
        },
      ],
    }),
    adjustPosition: operation({
      method: "POST",
      path: "/positions/adjust",
      permission: "POSITION_ADJUSTMENT",
      lane: "change",
      tag: "Positions",
      before: {
        operation: "listPositions",
        input: ({ projectionPath }) => positionQuery(parseProjectionPath(projectionPath, keys)),
        direction: (input, before) => adjustmentDirection(input, before as Position[]),
        rows: (input, before) => positionsOf(input, before as Position[]),
      },
      summary: "Set or change the position of a node",
      description:
        "Changes only the named node. With `relative` the size is added to the current one, else it replaces it. `NaN` as " +
        `average cost or realized PnL stops tracking that value. ${ACCEPTED}`,
      engineNotes:
        `${ACCEPTED_BY_ENGINE} Only the named node changes. relative applies to size alone; averageCost and realizedPnL ` +
        "are new values and stay as they are when absent.",
      input: () => z.strictObject({ projectionPath: projectionPathField(keys, NODE), ...adjustment() }),
      output: empty,
      target: ["projectionPath"],
      examples: [
        {
          summary: "Set size and average cost",
          input: { projectionPath: NODE, size: "500", averageCost: "190.25" },
          output: null,
        },
        {
          summary: "Take 100 off and stop tracking the average cost",
          input: { projectionPath: NODE, size: "-100", relative: true, averageCost: "NaN" },
          output: null,
        },
      ],
    }),
  };
}

interface Adjustment {
  readonly projectionPath: string;
  readonly size: string;
  readonly relative: boolean;
}

type Position = z.output<ReturnType<typeof position>>;

/**
 * Which way an adjustment moves the limits, which count positions: nearer to zero or across it, orders find room that they did
 * not have; further away, they find less. A node without a position has the size 0; one whose size the engine does not show may have any.
 */
export function adjustmentDirection(
  { projectionPath, size, relative }: Adjustment,
  before: readonly Pick<Position, "projection" | "size">[],
): Direction {
  const row = before.find(isOf(projectionPath));
  const held = row ? row.size : "0";
  if (held === null) return "loosens";
  const change = compareDecimals(relative ? exactSum([held, size]) : size, held);
  if (change === 0) return "neutral";
  const side = compareDecimals(held, "0");
  return side === 0 || change === side ? "tightens" : "loosens";
}

/** The row of the node, if it has one. */
function positionsOf(
  { projectionPath }: Pick<Adjustment, "projectionPath">,
  before: readonly Position[],
): readonly Position[] {
  return before.filter(isOf(projectionPath));
}

/** Whether a position is that of a node, whichever order the engine gives the segments of its path. */
function isOf(path: string): (position: Pick<Position, "projection">) => boolean {
  const node = nodeKey(path);
  // The same segments in another order are as long.
  return ({ projection }) => projection === path || (projection.length === path.length && nodeKey(projection) === node);
}
