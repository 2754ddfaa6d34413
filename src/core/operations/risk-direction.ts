import { compareDecimals } from "../values/decimal-text.ts";
import type { Direction } from "./operation.ts";
import { type LimitCommand, type RowLimits, TableUpdate } from "./risk-rows.ts";

/** Rows and limits that are looked at for one update: a few milliseconds. */
const MAX_LOOKS = 50_000;

/**
 * Which way a risk update moves the limits of a table. It loosens as soon as one limit does. Where for some orders of a row that comes or
 * goes there is no other, it loosens: whether those are free or refused then is the engine's, so that a row which comes may let them
 * pass, and one that goes as well. Where that are too many rows, the update counts as one that loosens (decision D-LOAD 32).
 */
export function riskDirection(
  commands: readonly LimitCommand[],
  table: ConstructorParameters<typeof TableUpdate>[1],
): Direction {
  let looks = 0;
  const isTooMany = (more: number): boolean => {
    looks += more;
    return looks > MAX_LOOKS;
  };
  const keys = Object.keys(commands[0]?.conditions ?? {});
  const update = new TableUpdate(keys, table, commands, isTooMany);
  return worst(update.named, (named) =>
    worst(update.successions(named), ({ from, to }) =>
      from && to ? compared(from.limits, to.limits, isTooMany) : "loosens",
    ),
  );
}

function compared(from: RowLimits, to: RowLimits, isTooMany: (looks: number) => boolean): Direction {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  if (isTooMany(names.size)) return "loosens";
  return worst(names, (name) => {
    const room = roomier(name, from[name], to[name]);
    if (room === 0) return "neutral";
    return room > 0 ? "loosens" : "tightens";
  });
}

/** The direction of several things together; ends with the first that loosens. */
function worst<T>(items: Iterable<T>, directionOf: (item: T) => Direction): Direction {
  let tightens = false;
  for (const item of items) {
    const direction = directionOf(item);
    if (direction === "loosens") return direction;
    tightens ||= direction === "tightens";
  }
  return tightens ? "tightens" : "neutral";
}

/** Whether a limit is a lower bound, by its name: `MinPrice`, `min_price`, `MinimumPrice`, but not `MinuteOrders`. Any other is an upper bound. */
function isLowerBound(name: string): boolean {
  return /^(?:[Mm]in(?:imum)?(?![a-z])|MIN(?:IMUM)?(?![A-Z]))/.test(name);
}

/** Above 0 where a limit leaves more room than before, below 0 where it leaves less. */
export function roomier(name: string, from: string | null = null, to: string | null = null): number {
  if (from === null || to === null) return Number(to === null) - Number(from === null);
  return compareDecimals(to, from) * (isLowerBound(name) ? -1 : 1);
}
