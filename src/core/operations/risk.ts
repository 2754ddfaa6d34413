import { z } from "zod";
import type { Bounds } from "../options.ts";
import { grouped, once } from "../values/basics.ts";
import { nullableDecimal } from "../values/decimal.ts";
import { type ProjectionKeys, parseProjection } from "../values/projection.ts";
import { entries, list, projectionField, text } from "./fields.ts";
import { operation, READ } from "./operation.ts";
import { reportConditions } from "./risk-conditions.ts";
import { riskDirection } from "./risk-direction.ts";

/** Default maximum of commands per risk update (decision D-LOAD 3). */
export const DEFAULT_MAX_RISK_COMMANDS = 1_000;
export const RISK_COMMAND_BOUNDS: Bounds = { min: 1, max: 100_000 };

/** Limits that the commands of an update may have together: an update is checked and recorded in one piece (decision D-LOAD 31). */
export const MAX_LIMITS = 4_000;

const riskRow = once(() =>
  z
    .object({
      conditions: z.record(z.string(), z.string()).meta({ description: 'Value of each projection key; `"*"` is any.' }),
      limits: z.record(z.string(), nullableDecimal()).meta({
        description:
          "Limit by name; null means unlimited. Every column of the table is present. The set of names is open: " +
          "MaxOrderSize and MaxOrderNotional are two of them.",
      }),
    })
    .meta({ id: "RiskRow" }),
);

/** Risk table of a projection (specification, "Risk table"). */
const riskTable = once(() =>
  z
    .object({
      projection: z.string().meta({ description: "Projection of the table." }),
      rows: z.array(riskRow()).meta({ description: "Table rows." }),
    })
    .meta({ id: "RiskTable" }),
);

const commandType = once(() =>
  z
    .enum(["INSERT", "UPDATE", "DELETE"], { error: "must be one of INSERT, UPDATE, DELETE" })
    .meta({ id: "RiskCommandType" }),
);

const conditionValue = once(() => text().min(1, { error: 'must not be empty; "*" stands for any value' }));

/** One element of a risk update (specification, "Risk command"). */
const riskCommand = once(() =>
  z
    .strictObject(
      {
        type: commandType(),
        conditions: entries(conditionValue(), "must be an object of strings").meta({
          description: 'Identifies the row: a value for each projection key; `"*"` is a wildcard.',
        }),
        limits: entries(nullableDecimal(), "must be an object of decimal strings")
          .optional()
          .meta({
            description:
              "Limits to apply by name; null means unlimited. The set of names is open; the engine rejects those that the " +
              "table does not have. Absent means that no limit is named. Ignored for DELETE.",
          }),
      },
      { error: "must be an object" },
    )
    .meta({ id: "RiskCommand" }),
);

const euroRow = {
  conditions: { Account: "*", Symbol: "EUR/USD" },
  limits: { MaxOrderSize: "500000", MaxPositionLong: "2000000", MaxPositionShort: null },
};

/** A row of one account: who sends its example as it stands changes no limit of any other. */
const pensionRow = {
  conditions: { Account: "PENSION", Symbol: "AAPL" },
  limits: { MaxOrderSize: "1000", MaxPositionLong: "4000", MaxPositionShort: "0" },
};

export function riskOperations(keys: ProjectionKeys, maxCommands: number) {
  // Where more commands are allowed than by default, they may have as many limits each as they may by default.
  const mostLimits = Math.max(MAX_LIMITS, (MAX_LIMITS / DEFAULT_MAX_RISK_COMMANDS) * maxCommands);
  const commands = once(() =>
    list(riskCommand(), maxCommands, "must be an array of commands").min(1, {
      error: "must hold at least one command",
    }),
  );
  const update = once(() =>
    z
      .strictObject({ projection: projectionField(keys, "Account/Symbol"), commands: commands() })
      // Runs beside other faults too, so that one response names them all (decision D-HTTP 7).
      .superRefine((value, context) => reportConditions(value, keys, context), { when: () => true }),
  );
  return {
    getRiskTable: operation({
      ...READ,
      path: "/risk/table",
      tag: "Risk",
      summary: "Risk table of a projection",
      description: "Rows and limits of the table. `null` means unlimited.",
      input: () => z.strictObject({ projection: projectionField(keys, "", "Account/Symbol").default("") }),
      output: riskTable,
      target: ["projection"],
      names: { projection: "projection" },
      examples: [
        {
          summary: "The table of a projection",
          input: { projection: "Account/Symbol" },
          output: { projection: "Account/Symbol", rows: [euroRow] },
        },
      ],
    }),
    updateRiskTable: operation({
      method: "POST",
      path: "/risk/update",
      permission: "CHANGE_RISK_LIMITS",
      lane: "change",
      tag: "Risk",
      summary: "Apply commands to a risk table, all or none",
      description:
        "The keys of `conditions` are exactly the keys of the projection. INSERT of an existing row and DELETE of a missing " +
        "one are rejected with the reason; UPDATE inserts where missing. Returns the table after the update." +
        inAllAtMost(mostLimits),
      engineNotes:
        "The keys of each command's conditions are exactly the keys of the projection, in its order; a DELETE comes without " +
        "limits. All commands are applied, one after the other, or none. The result is the table after the update.",
      input: update,
      ...(Number.isFinite(mostLimits) && { maxEntries: { list: "commands", field: "limits", most: mostLimits } }),
      withoutIgnored: withoutLimitsOfDelete,
      output: riskTable,
      target: ["projection"],
      names: { projection: "projection" },
      ifMatch: "getRiskTable",
      examples: [
        {
          summary: "Set one limit of one account",
          input: {
            projection: "Account/Symbol",
            commands: [{ type: "UPDATE", conditions: pensionRow.conditions, limits: { MaxOrderSize: "1000" } }],
          },
          output: { projection: "Account/Symbol", rows: [euroRow, pensionRow] },
        },
        {
          summary: "Delete one row, and insert another without a limit for short positions",
          input: {
            projection: "Account/Symbol",
            commands: [
              { type: "DELETE", conditions: pensionRow.conditions },
              {
                type: "INSERT",
                conditions: { Account: "HEDGE1", Symbol: "*" },
                limits: { MaxOrderSize: "100", MaxPositionShort: null },
              },
            ],
          },
          output: {
            projection: "Account/Symbol",
            rows: [
              euroRow,
              {
                conditions: { Account: "HEDGE1", Symbol: "*" },
                limits: { MaxOrderSize: "100", MaxPositionLong: null, MaxPositionShort: null },
              },
            ],
          },
        },
      ],
      // Whether a number tightens depends on the number that it replaces, and what a new or deleted row does on the rows that would
      // apply in its place: the commands alone show only that a limit becomes unlimited.
      direction: ({ commands }) =>
        commands.some(({ limits = {} }) => Object.values(limits).includes(null)) ? "loosens" : undefined,
      before: {
        operation: "getRiskTable",
        input: ({ projection }) => ({ projection }),
        direction: ({ commands }, before) => riskDirection(commands, (before as RiskTable).rows),
        rows: (input, before) =>
          rowsOf(input.commands, (before as RiskTable).rows, parseProjection(input.projection, keys)),
      },
      after: (input, { rows }) => rowsOf(input.commands, rows, parseProjection(input.projection, keys)),
      prepare: (input) => ({ input: { ...input, commands: inProjectionOrder(input, keys) } }),
    }),
  };
}

function inAllAtMost(limits: number): string {
  return Number.isFinite(limits) ? ` The commands have at most ${grouped(limits)} limits in all.` : "";
}

/** Removes the limits of DELETE commands, which are ignored (specification, "Risk command"). */
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

function inProjectionOrder(input: { projection: string; commands: Command[] }, known: ProjectionKeys): Command[] {
  const order = parseProjection(input.projection, known);
  return input.commands.map((command) => ({
    ...command,
    conditions: Object.fromEntries(order.map((key) => [key, command.conditions[key] ?? ""])),
  }));
}

type Command = z.output<ReturnType<typeof riskCommand>>;
type RiskTable = z.output<ReturnType<typeof riskTable>>;
type Row = RiskTable["rows"][number];
type NamedRow = Pick<Row, "conditions"> & { readonly limits: Row["limits"] | null };

/** The table rows named by the commands; `limits` is null for a missing row. */
function rowsOf(commands: readonly Command[], rows: readonly Row[], keys: readonly string[]): readonly NamedRow[] {
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
