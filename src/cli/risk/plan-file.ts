import { z } from "zod";
import { decimalString } from "../../core/values/decimal.ts";
import { UsageError } from "../exit-codes.ts";
import type { RiskPlan } from "./plan.ts";

const limit = decimalString().nullable().optional();

const planSchema = z.strictObject({
  projection: z.string(),
  table: z.string().regex(/^[0-9a-f]{64}$/, "must be the SHA-256 of a table"),
  changes: z.array(
    z.strictObject({
      type: z.enum(["INSERT", "UPDATE", "DELETE"]),
      conditions: z.record(z.string(), z.string()),
      limits: z.array(
        z.strictObject({ name: z.string(), from: limit, to: limit, effect: z.enum(["tighter", "looser", "new"]) }),
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
  throw new UsageError(`${file} is no plan of "risk plan --output json": ${issue?.path.join(".")}: ${issue?.message}`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const hint = "; make one with: trading-admin risk plan LIMITS.yaml --output json";
    throw new UsageError(`${file} is no plan, it is not JSON${hint}`, { cause });
  }
}
