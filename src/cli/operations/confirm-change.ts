import { grouped } from "../../core/values/basics.ts";
import type { Connection } from "../connection/connect.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";
import { printInfo } from "../terminal/messages.ts";
import { ask, canAsk } from "../terminal/prompt.ts";
import { type Command, describeCommand } from "./describe-command.ts";
import { previewOf } from "./preview.ts";
import { confirmationLines } from "./second-person.ts";

/** Whether a change is asked about: not with `--yes`, nor where there is nobody. */
export function isAsked(options: Options): boolean {
  return options.yes !== true && canAsk();
}

/**
 * Has the person confirm a change: by its installation's name where that is marked as production, else by `yes`. Does not ask
 * with `--yes`.
 *
 * @throws NotConfirmedByUser when they type anything else, and where there is no terminal to ask on.
 */
export async function askToConfirm({ settings, name }: Connection, options: Options, question: string): Promise<void> {
  if (options.yes === true) return;
  if (!canAsk()) throw new NotConfirmedByUser("there is no terminal to ask for confirmation on; pass --yes");
  const word = settings.production ? name : "yes";
  if (settings.production) printInfo(`${name} is marked as production`);
  printInfo(question);
  const answer = await ask(`Type ${word} to continue: `);
  if (answer.trim() !== word) throw new NotConfirmedByUser(`not confirmed: ${JSON.stringify(word)} was not typed`);
}

const NOT_BY_YES =
  "--yes does not confirm that a limit is removed or loosened tenfold: leave it out and answer, or apply a plan (risk plan, risk apply --yes)";

/** How many lines of a preview are shown where nobody is asked: nobody reads thousands. */
const MAX_LINES = 40;

/**
 * Shows what is now and what would be, and has the person confirm it. Returns the state now; rejects when nothing is to be sent,
 * or when the state cannot be read. `--yes` takes the place of the second question only where `isReviewed`.
 */
export async function confirmChange(
  connection: Connection,
  command: Command,
  options: Options,
  isReviewed = false,
): Promise<unknown> {
  const asks = isAsked(options);
  const [{ now, lines, drastic }, confirms] = await Promise.all([
    previewOf(connection.client, command, options),
    asks ? confirmationLines(connection, [command]) : [],
  ]);
  showLines([...lines, ...confirms], asks ? lines.length + 1 : MAX_LINES);
  await askToConfirm(connection, options, `${describeCommand(command)}, in ${connection.name}`);
  if (!asks) showLines(drastic.map(({ words }) => words));
  for (const { words } of asks ? drastic : []) {
    printInfo(words);
    await askToConfirm(connection, options, "Is that intended?");
  }
  if (!asks && !isReviewed && drastic.some(({ loosens }) => loosens)) throw new NotConfirmedByUser(NOT_BY_YES);
  return now;
}

export function showLines(lines: readonly string[], most = MAX_LINES): void {
  for (const line of lines.slice(0, most)) printInfo(line);
  if (lines.length > most) printInfo(`... and ${grouped(lines.length - most)} further lines`);
}
