import type { AdminClient } from "../../client/client.ts";
import type { Input, Output } from "../../core/operations/table.ts";
import { UsageError } from "../exit-codes.ts";
import { differsByFactor } from "../output/decimal.ts";
import type { OperationInput } from "./input.ts";
import type { Preview } from "./preview-shape.ts";

type Command = Input<"updateRiskTable">["commands"][number];
type Limits = Readonly<Record<string, string | null>>;

/** A limit that changes by this factor is confirmed once more. */
const DRASTIC_FACTOR = 10n;

/** What a risk update would do to the rows that it names. */
export async function previewLimits(client: AdminClient, input: OperationInput): Promise<Preview> {
  const { projection, commands } = input as Input<"updateRiskTable">;
  if (!Array.isArray(commands)) throw new UsageError("--commands: must be a list of risk commands; nothing was sent");
  const table = await client.getRiskTable({ projection });
  const changes = commands.flatMap((command) => changesOf(command, table));
  return {
    now: table,
    lines: [`limits of ${projection || "the root"}`, ...changes.map(({ line }) => `  ${line}`)],
    drastic: changes.flatMap(({ drastic }) => drastic ?? []),
  };
}

interface Change {
  readonly line: string;
  readonly drastic?: string;
}

function changesOf({ type, conditions, limits = {} }: Command, table: Output<"getRiskTable">): Change[] {
  const where =
    Object.entries(conditions)
      .map(([key, value]) => `${key}=${value}`)
      .join(" ") || "(root)";
  const row = table.rows.find((candidate) => isSame(candidate.conditions, conditions));
  if (type === "DELETE") return [deleted(where, row?.limits)];
  const changes = Object.entries(limits).map(([name, limit]) =>
    changeOf(`${where} ${name}`, row?.limits[name], limit ?? null),
  );
  return changes.length > 0 ? changes : [{ line: `${where}: ${row ? "nothing changes" : "new row without limits"}` }];
}

function deleted(where: string, limits: Limits | undefined): Change {
  if (!limits) return { line: `${where}: no such row` };
  const shown = Object.entries(limits)
    .map(([name, limit]) => `${name} ${limit ?? "unlimited"}`)
    .join(", ");
  return { line: `${where}: row is deleted (${shown})`, drastic: `This removes the limits of ${where}: ${shown}.` };
}

function changeOf(what: string, now: string | null | undefined, then: string | null): Change {
  const line = `${what}: ${now === undefined ? "not there" : (now ?? "unlimited")} -> ${then ?? "unlimited"}`;
  if (then === null && typeof now === "string") return { line, drastic: `This removes the limit ${what}, ${now} now.` };
  if (typeof now !== "string" || then === null || !differsByFactor(now, then, DRASTIC_FACTOR)) return { line };
  return { line, drastic: `This changes ${what} by a factor of ${DRASTIC_FACTOR} or more: ${now} -> ${then}.` };
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
