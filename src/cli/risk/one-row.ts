import { isDeepStrictEqual } from "node:util";
import type { Input } from "../../core/operations/table.ts";
import { shellWord } from "../../core/values/basics.ts";
import { keysOf, printProjectionPath } from "../../core/values/projection.ts";
import { UsageError } from "../exit-codes.ts";
import { commandLine, type OperationInput } from "../operations/input.ts";
import { segmentsOf } from "../operations/path.ts";

/** How a limit is lifted. */
const LIFTED: readonly string[] = ["unlimited", "null"];

/** The update that `risk set` sends for a row and its limits as they are typed. */
export function oneRowUpdate(path: string, limits: readonly string[]): Input<"updateRiskTable"> {
  const row = segmentsOf(path);
  const conditions = Object.fromEntries(row.map(({ key, value }) => [key, value]));
  return {
    projection: row.map(({ key }) => key).join("/"),
    commands: [{ type: "UPDATE", conditions, limits: Object.fromEntries(limits.map(limitOf)) }],
  };
}

function limitOf(typed: string): [name: string, value: string | null] {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(typed) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(
      `${JSON.stringify(typed)} is not a limit: write NAME=VALUE, such as MaxOrderSize=500; nothing was sent`,
    );
  return [name, LIFTED.includes(value) ? null : value];
}

/** The `risk set` that sends an update; undefined for one that it cannot send, such as of several rows. */
export function oneRowLine(input: OperationInput): string | undefined {
  const { projection, commands } = input as Input<"updateRiskTable">;
  const { conditions = {}, limits = {} }: Partial<(typeof commands)[number]> = commands[0] ?? {};
  const typed = Object.entries(limits).map(([name, limit]) => `${name}=${limit ?? LIFTED[0]}`);
  try {
    const path = printProjectionPath(keysOf(projection).map((key) => ({ key, value: String(conditions[key]) })));
    if (typed.length === 0 || !isDeepStrictEqual(oneRowUpdate(path, typed), input)) return undefined;
    return commandLine("trading-admin risk set", [path, ...typed].map(shellWord));
  } catch {
    return undefined;
  }
}
