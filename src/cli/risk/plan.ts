import { createHash } from "node:crypto";
import { z } from "zod";
import { rowKey, rowName } from "../../core/operations/row-names.ts";
import { decimalString } from "../../core/values/decimal.ts";
import { exact, printDecimal } from "../../core/values/exact-decimal.ts";
import { keysOf } from "../../core/values/projection.ts";
import { UsageError } from "../exit-codes.ts";
import { type Difference, differenceOf, type PlannedCommand } from "./difference.ts";
import type { LimitRow, Limits, LimitTable } from "./row-changes.ts";

/** A reviewed change of a risk table: what `risk plan --output json` prints and `risk apply` takes. */
export interface RiskPlan {
  readonly projection: string;
  /** SHA-256 over the table that the plan was made from; lower-case hexadecimal digits. */
  readonly table: string;
  readonly changes: readonly PlannedCommand[];
}

export interface RiskUpdate {
  readonly projection: string;
  readonly commands: readonly { type: PlannedCommand["type"]; conditions: Record<string, string>; limits?: Limits }[];
}

export function planOf(live: LimitTable, { changes }: Pick<Difference, "changes">): RiskPlan {
  return { projection: live.projection, table: fingerprint(live), changes };
}

/** Why a plan does not fit a live table; undefined when it does. */
export function misfit(plan: RiskPlan, live: LimitTable): string | undefined {
  if (fingerprint(live) !== plan.table) return "the table has moved since the plan was made";
  const odd = plan.changes.find(({ conditions }) => !hasExactly(conditions, keysOf(plan.projection)));
  if (odd)
    return `the conditions of ${rowName(odd.conditions)} are not the keys of the projection "${plan.projection}"`;
  // The marks are what was reviewed, so they have to be what the commands do.
  const { changes } = differenceOf(live, wantedBy(plan, live));
  return comparable(changes) === comparable(plan.changes)
    ? undefined
    : "the changes do not lead from this table to another";
}

function hasExactly(conditions: Readonly<Record<string, string>>, keys: readonly string[]): boolean {
  return Object.keys(conditions).length === keys.length && keys.every((key) => Object.hasOwn(conditions, key));
}

/** The commands of a plan, with the conditions in the order of the projection. */
export function updateOf({ projection, changes }: RiskPlan): RiskUpdate {
  const keys = keysOf(projection);
  const commands = changes.map(({ type, conditions, limits }) => ({
    type,
    conditions: Object.fromEntries(keys.map((key) => [key, conditions[key] ?? ""])),
    ...(type !== "DELETE" && { limits: targetsOf(limits) }),
  }));
  return { projection, commands };
}

/** SHA-256 over the rows of a table, whatever their order and however their numbers are written. */
export function fingerprint({ projection, rows }: LimitTable): string {
  const texts = rows.map(({ conditions, limits }) => `${rowKey(conditions)}${JSON.stringify(sortedLimits(limits))}`);
  return createHash("sha256")
    .update(JSON.stringify([projection, texts.toSorted()]))
    .digest("hex");
}

function sortedLimits(limits: Limits): readonly (readonly [string, string | null])[] {
  return Object.entries(limits)
    .map(([name, value]) => [name, canonical(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function wantedBy({ projection, changes }: RiskPlan, live: LimitTable): LimitTable {
  const rows = new Map<string, LimitRow>(live.rows.map((row) => [rowKey(row.conditions), row]));
  for (const { type, conditions, limits } of changes) {
    const key = rowKey(conditions);
    if (type === "DELETE") rows.delete(key);
    else rows.set(key, { conditions, limits: { ...rows.get(key)?.limits, ...targetsOf(limits) } });
  }
  return { projection, rows: [...rows.values()] };
}

function targetsOf(limits: PlannedCommand["limits"]): Limits {
  return Object.fromEntries(limits.flatMap(({ name, to }) => (to === undefined ? [] : [[name, to]])));
}

function comparable(changes: readonly PlannedCommand[]): string {
  const texts = changes.map(({ type, conditions, limits }) => {
    const named = limits.map(({ name, from, to, effect, comparedWith }) => {
      const row = comparedWith && rowKey(comparedWith);
      return JSON.stringify({ name, from: canonical(from), to: canonical(to), effect, row });
    });
    return JSON.stringify([type, rowKey(conditions), named.toSorted()]);
  });
  return texts.toSorted().join();
}

/** A limit as a text that is the same for equal numbers. */
function canonical<T extends null | undefined>(limit: string | T): string | T {
  return typeof limit === "string" ? printDecimal(exact(limit)) : limit;
}

const limit = decimalString().nullable().optional();

const planSchema = z.strictObject({
  projection: z.string(),
  table: z.string().regex(/^[0-9a-f]{64}$/, "must be the SHA-256 of a table"),
  changes: z.array(
    z.strictObject({
      type: z.enum(["INSERT", "UPDATE", "DELETE"]),
      conditions: z.record(z.string(), z.string()),
      limits: z.array(
        z.strictObject({
          name: z.string(),
          from: limit,
          to: limit,
          effect: z.enum(["tighter", "looser", "new"]),
          comparedWith: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  ),
});

/** Reads a plan as `risk plan --output json` prints it. Throws a UsageError for anything else. */
export function parsePlan(text: string, file: string): RiskPlan {
  const result = planSchema.safeParse(jsonOf(text, file));
  // Undefined members were absent, which is what a plan says of a limit that a row does not have.
  if (result.success) return result.data as RiskPlan;
  const [issue] = result.error.issues;
  throw new UsageError(
    `${file} is not a plan of "risk plan --output json": ${issue?.path.join(".")}: ${issue?.message}`,
  );
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const hint = "; make one with: trading-admin risk plan LIMITS.yaml --output json";
    throw new UsageError(`${file} is not a plan: it is not JSON${hint}`, { cause });
  }
}
