import type { Run } from "../framework/definition.ts";
import { run as change } from "../operations/change.ts";
import { oneRowUpdate } from "./one-row.ts";

/** `risk set`: what `risk update` does with the limits of one row, as they are typed. */
export const run: Run = (invocation) => {
  const { arguments: args, command, options } = invocation;
  const { projection, commands } = oneRowUpdate(String(args.path), [args.limit ?? []].flat());
  return change({
    ...invocation,
    command: { ...command, operation: "updateRiskTable" },
    arguments: { projection },
    options: { ...options, commands: JSON.stringify(commands) },
  });
};
