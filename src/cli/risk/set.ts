import { UsageError } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { run as change } from "../operations/change.ts";
import { segmentsOf } from "../operations/path.ts";

/** `risk set`: what `risk update` does with the limits of one row, as they are typed. */
export const run: Run = (invocation) => {
  const { arguments: args, command, options } = invocation;
  const row = segmentsOf(String(args.path));
  const conditions = Object.fromEntries(row.map(({ key, value }) => [key, value]));
  const limits = Object.fromEntries([args.limit ?? []].flat().map(limitOf));
  return change({
    ...invocation,
    command: { ...command, operation: "updateRiskTable" },
    arguments: { projection: row.map(({ key }) => key).join("/") },
    options: { ...options, commands: JSON.stringify([{ type: "UPDATE", conditions, limits }]) },
  });
};

/** How a limit is lifted. */
const LIFTED: readonly string[] = ["unlimited", "null"];

function limitOf(typed: string): [name: string, value: string | null] {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(typed) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(
      `${JSON.stringify(typed)} is not a limit: write NAME=VALUE, such as MaxOrderSize=500; nothing was sent`,
    );
  return [name, LIFTED.includes(value) ? null : value];
}
