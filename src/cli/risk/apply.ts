import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import { command } from "../operations/command.ts";
import { confirmChange } from "../operations/confirm-change.ts";
import type { CommandResult } from "../operations/deed.ts";
import type { OperationInput } from "../operations/input.ts";
import { printResult, unsentResult } from "../operations/result.ts";
import { printedList } from "../operations/views.ts";
import { type Format, formatOf } from "../output/format.ts";
import { printRows, write } from "../output/print.ts";
import { say } from "../terminal/say.ts";
import { changeSummary, readNamedFile } from "./make-plan.ts";
import { misfit, updateOf } from "./plan.ts";
import { parsePlan } from "./plan-file.ts";

const OPERATION = "updateRiskTable";

/** `risk apply`: brings a plan about, if the live table is still the one that the plan was made from; shows the table then. */
export const run: Run = async ({ arguments: { plan: file = "" }, options }) => {
  const format = formatOf(options);
  const plan = parsePlan(await readNamedFile(String(file)), String(file));
  if (plan.changes.length === 0) {
    write("no changes\n");
    return undefined;
  }
  const input: OperationInput = { ...updateOf(plan) };
  const connection = await connect(options);
  const live = await connection.client.getRiskTable({ projection: plan.projection });
  const why = misfit(plan, live);
  if (why !== undefined) return refused(input, `${why}; make a new plan and have it reviewed`, format);
  say(changeSummary(plan.changes));
  try {
    await confirmChange(connection, OPERATION, input, options);
  } catch (error) {
    if (!(error instanceof NotConfirmedByUser)) throw error;
    return refused(input, error.message, format);
  }
  return printed(await command(connection, { operation: OPERATION, input, wait: { kind: "none", ms: 0 } }), format);
};

function refused(input: OperationInput, why: string, format: Format): Promise<number> {
  return printResult(unsentResult(OPERATION, input, why), format);
}

/** In a table the limits have a column each, below what became of the command. */
async function printed(result: CommandResult, format: Format): Promise<number> {
  const isTable = format === "table" || format === "wide";
  const code = await printResult(isTable ? { ...result, state: null } : result, format);
  const table = result.state === null ? undefined : printedList(OPERATION, result.state);
  if (isTable && table) {
    write("\n");
    await printRows(table, format);
  }
  return code;
}
