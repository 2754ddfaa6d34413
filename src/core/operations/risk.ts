import { z } from "zod";
import { MAX_FAULTS, OTHERS } from "../validation/faults.ts";
import { nullableDecimal } from "../values/decimal.ts";
import { type ProjectionKeys, parseProjection } from "../values/projection.ts";
import { entries, list, projectionField, text } from "./fields.ts";
import { type Direction, operation } from "./operation.ts";

/** Commands that one risk update may have unless the host says otherwise (decision D-LOAD 3). */
export const DEFAULT_MAX_RISK_COMMANDS = 1_000;

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
      conditions: entries(conditionValue, "must be an object of strings").meta({
        description: 'Identifies the row: a value for each projection key; `"*"` is a wildcard.',
      }),
      limits: entries(nullableDecimal, "must be an object of decimal strings")
        .optional()
        .meta({ description: "Limits to apply by name; null means unlimited. Ignored for DELETE." }),
    },
    { error: "must be an object" },
  )
  .meta({ id: "RiskCommand" });

/** Says how the keys of `conditions` differ from those of the projection (decision D-VAL 4). */
function conditionIssues(conditions: object, keys: readonly string[], known: ProjectionKeys): string[] {
  const wrong = Object.keys(conditions).filter((key) => !keys.includes(key));
  const missing = keys.filter((key) => !Object.hasOwn(conditions, key));
  return [
    ...wrong.map((key) =>
      known.has(key) ? `projection key "${key}" is not part of the projection` : `unknown projection key "${key}"`,
    ),
    ...missing.map((key) => `projection key "${key}" is missing`),
  ];
}

/** Checks the keys of `conditions` in a request that may be faulty elsewhere; commands beyond the listed faults only by number. */
function reportConditions(value: unknown, known: ProjectionKeys, context: z.core.$RefinementCtx): void {
  const { projection, commands } = isObject(value) ? value : {};
  const keys = keysOf(projection, known);
  if (!keys || !Array.isArray(commands)) return;
  let faulty = 0;
  for (const [index, command] of commands.entries()) {
    const conditions = isObject(command) ? command.conditions : undefined;
    const problems = isObject(conditions) ? conditionIssues(conditions, keys, known) : [];
    if (problems.length > 0) faulty += 1;
    if (faulty > MAX_FAULTS) continue;
    for (const message of problems) {
      context.addIssue({ code: "custom", message, path: ["commands", index, "conditions"] });
    }
  }
  const others = faulty - MAX_FAULTS;
  if (others > 0) {
    const message = `${others} more commands do not have the projection keys of the update in their conditions`;
    context.addIssue({ code: "custom", message, path: ["commands"], params: { [OTHERS]: others } });
  }
}

/** The keys of a projection; undefined where something else is wrong with it. */
function keysOf(projection: unknown, known: ProjectionKeys): string[] | undefined {
  if (typeof projection !== "string") return undefined;
  const keys = projection === "" ? [] : projection.split("/");
  return keys.length <= known.size && keys.every((key) => known.has(key)) ? keys : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Risk table operations; their types are inferred from the schemas. */
export function riskOperations(keys: ProjectionKeys, maxCommands: number) {
  const commands = list(riskCommand, maxCommands, "must be an array of commands").min(1, {
    error: "must hold at least one command",
  });
  const update = z
    .strictObject({ projection: projectionField(keys, "Account/Symbol"), commands })
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
      input: z.strictObject({ projection: projectionField(keys, "", "Account/Symbol").default("") }),
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
      direction: ({ commands }) => directionOf(commands),
      after: (input, { rows }) => rowsOf(input.commands, rows, parseProjection(input.projection, keys)),
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

type Command = z.output<typeof riskCommand>;
type Row = z.output<typeof riskRow>;
type NamedRow = Pick<Row, "conditions"> & { readonly limits: Row["limits"] | null };

/**
 * What the commands alone tell: a limit that becomes unlimited loosens. Whether a number tightens depends on the number that it
 * replaces, and what a new or deleted row does on the rows that would apply in its place.
 */
function directionOf(commands: readonly Command[]): Direction | undefined {
  const lifts = ({ limits = {} }: Command): boolean => Object.values(limits).includes(null);
  return commands.some(lifts) ? "loosens" : undefined;
}

/** The rows that the commands name, as the table holds them; `limits` is null where it holds no such row. */
function rowsOf(commands: readonly Command[], rows: readonly Row[], keys: readonly string[]): NamedRow[] {
  const rowKey = (conditions: Row["conditions"]): string => JSON.stringify(keys.map((key) => conditions[key]));
  const named = new Map(
    commands.map(({ conditions }): [string, NamedRow] => [rowKey(conditions), { conditions, limits: null }]),
  );
  for (const row of rows) {
    const key = rowKey(row.conditions);
    if (named.has(key)) named.set(key, row);
  }
  return [...named.values()];
}
