import { z } from "zod";
import { nullableDecimal } from "../decimal.ts";
import { projectionField, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { type ProjectionKeys, parseProjection } from "../projection.ts";

/** One row of a risk table. */
const riskRow = z
  .object({
    conditions: z.record(z.string(), z.string()).meta({ description: 'Value of each projection key; `"*"` is any.' }),
    limits: z
      .record(z.string(), nullableDecimal)
      .meta({ description: "Limit by name; null means unlimited. The set of names is open." }),
  })
  .meta({ id: "RiskRow" });

/** Risk table of a projection (specification, "Risk table"). */
const riskTable = z
  .object({
    projection: z.string().meta({ description: "Projection of the table." }),
    rows: z.array(riskRow).meta({ description: "Table rows." }),
  })
  .meta({ id: "RiskTable" });

const commandType = z
  .enum(["INSERT", "UPDATE", "DELETE"], { error: "must be one of INSERT, UPDATE, DELETE" })
  .meta({ id: "RiskCommandType" });

const conditionValue = text.min(1, { error: 'must not be empty; "*" stands for any value' });

/** One element of a risk update (specification, "Risk command"). */
export const riskCommand = z
  .strictObject(
    {
      type: commandType,
      conditions: z
        .record(z.string(), conditionValue, { error: "must be an object of strings" })
        .meta({ description: 'Identifies the row: a value for each projection key; `"*"` is a wildcard.' }),
      limits: z
        .record(z.string(), nullableDecimal, { error: "must be an object of decimal strings" })
        .optional()
        .meta({ description: "Limits to apply by name; null means unlimited. Ignored for DELETE." }),
    },
    { error: "must be an object" },
  )
  .meta({ id: "RiskCommand" });

/** Says how the keys of `conditions` differ from those of the projection (decision D-VAL 4). */
function conditionIssues(
  conditions: Record<string, unknown>,
  keys: readonly string[],
  known: ProjectionKeys,
): string[] {
  const wrong = Object.keys(conditions).filter((key) => !keys.includes(key));
  const missing = keys.filter((key) => !Object.hasOwn(conditions, key));
  return [
    ...wrong.map((key) =>
      known.has(key) ? `projection key "${key}" is not part of the projection` : `unknown projection key "${key}"`,
    ),
    ...missing.map((key) => `projection key "${key}" is missing`),
  ];
}

/** What the check of `conditions` needs of a request that may be faulty elsewhere. */
const updateOutline = z.object({
  projection: text,
  commands: z.array(
    z
      .object({ conditions: z.record(z.string(), z.unknown()) })
      .nullable()
      .catch(null),
  ),
});

function reportConditions(value: unknown, known: ProjectionKeys, context: z.core.$RefinementCtx): void {
  const outline = updateOutline.safeParse(value).data;
  if (!outline) return;
  const order = outline.projection === "" ? [] : outline.projection.split("/");
  if (order.some((key) => !known.has(key))) return;
  for (const [index, command] of outline.commands.entries()) {
    for (const message of command ? conditionIssues(command.conditions, order, known) : []) {
      context.addIssue({ code: "custom", message, path: ["commands", index, "conditions"] });
    }
  }
}

/** Risk table operations; their types are inferred from the schemas. */
export function riskOperations(keys: ProjectionKeys) {
  const projection = projectionField(keys);
  const update = z
    .strictObject({
      projection,
      commands: z
        .array(riskCommand, { error: "must be an array of commands" })
        .min(1, { error: "must hold at least one command" }),
    })
    // Runs beside other faults too, so that one answer names them all (decision D-HTTP 7).
    .superRefine((value, context) => reportConditions(value, keys, context), { when: () => true });
  return {
    getRiskTable: operation({
      method: "GET",
      path: "/risk/table",
      permission: null,
      lane: "read",
      tag: "Risk",
      summary: "Risk table of a projection",
      in: "query",
      input: z.strictObject({ projection: projection.default("") }),
      output: riskTable,
      target: ["projection"],
    }),
    updateRiskTable: operation({
      method: "POST",
      path: "/risk/update",
      permission: "CHANGE_RISK_LIMITS",
      lane: "change",
      tag: "Risk",
      summary: "Apply commands to a risk table, all or none",
      in: "body",
      input: update,
      withoutIgnored: withoutLimitsOfDelete,
      output: riskTable,
      target: ["projection"],
      prepare: (input) => ({ input: { ...input, commands: inProjectionOrder(input, keys) } }),
    }),
  };
}

/** Leaves the limits of DELETE commands out, whatever they are: they are ignored (specification, "Risk command"). */
function withoutLimitsOfDelete(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { commands } = raw;
  if (!Array.isArray(commands)) return raw;
  return { ...raw, commands: commands.map(withoutLimits) };
}

function withoutLimits(command: unknown): unknown {
  if (typeof command !== "object" || command === null || !("type" in command) || command.type !== "DELETE")
    return command;
  return Object.fromEntries(Object.entries(command).filter(([field]) => field !== "limits"));
}

function inProjectionOrder(
  input: { projection: string; commands: z.output<typeof riskCommand>[] },
  known: ProjectionKeys,
): z.output<typeof riskCommand>[] {
  const order = parseProjection(input.projection, known);
  return input.commands.map((command) => ({
    ...command,
    conditions: Object.fromEntries(order.map((key) => [key, command.conditions[key] ?? ""])),
  }));
}
