import { connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { EXIT, NotConfirmedByUser } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { confirmChange } from "../operations/confirm-change.ts";
import type { Command } from "../operations/describe-command.ts";
import { deniedBeforeAsking } from "../operations/permission.ts";
import { commandResult, printResult } from "../operations/result.ts";
import { sendCommand } from "../operations/send-command.ts";
import { readWhole } from "../operations/state.ts";
import { type Format, formatOf } from "../output/format.ts";
import { textOfFile } from "../process.ts";
import { printInfo } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { changeSummary } from "./make-plan.ts";
import { misfit, parsePlan, updateOf } from "./plan.ts";

/**
 * `risk apply`: brings a plan about, if the live table is still the one that the plan was made from, also after the question was answered;
 * shows the table then.
 */
export const run: Run = async ({ arguments: { plan: file = "" }, options }) => {
  const format = formatOf(options);
  const plan = parsePlan(textOfFile(String(file), `${file}: cannot be read, nothing was sent`), String(file));
  if (plan.changes.length === 0) {
    write("no changes\n");
    return EXIT.done;
  }
  const command: Command = { operation: "updateRiskTable", input: { ...updateOf(plan) } };
  const connection = await connect(options);
  const [denied] = await deniedBeforeAsking(connection, [command], options);
  if (denied) return printResult(denied, format);
  let ifMatch: string | undefined;
  const onEntityTag = (entityTag: string): void => {
    ifMatch = entityTag;
  };
  const { projection } = plan;
  const misfitNow = async (): Promise<string | undefined> => {
    const live = await readWhole((call) => connection.client.getRiskTable({ projection }, { ...call, onEntityTag }));
    const why = misfit(plan, live);
    return why && `${why}; make a new plan and have it reviewed`;
  };
  const why = await misfitNow();
  if (why !== undefined) return refused(command, why, format);
  printInfo(changeSummary(plan.changes));
  try {
    // Its plan was reviewed.
    await confirmChange(connection, command, options, true);
  } catch (error) {
    if (!(error instanceof NotConfirmedByUser)) throw error;
    return refused(command, error.message, format);
  }
  // Where a proxy has removed the tag, the gateway has nothing to compare the table with.
  const moved = ifMatch === undefined ? await misfitNow() : undefined;
  if (moved !== undefined) return refused(command, moved, format);
  const wait = waitOf(options, "look");
  return printResult(await sendCommand(connection, { ...command, wait, ifMatch }), format);
};

function refused(command: Command, why: string, format: Format): Promise<number> {
  return printResult(commandResult(command, "not-sent", `not sent: ${why}`), format);
}
