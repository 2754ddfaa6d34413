import type { Options } from "../command/definition.ts";
import type { Connection } from "../connection/connect.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import { ask, canAsk } from "./prompt.ts";
import { say } from "./say.ts";

/**
 * Has the person confirm a change: by its installation's name where that is marked as production, else by `yes`. Does not ask
 * with `--yes`.
 *
 * @throws NotConfirmedByUser when they say anything else, and where there is nobody to ask.
 */
export async function confirmed({ settings, name }: Connection, options: Options, question: string): Promise<void> {
  if (options.yes === true) return;
  if (!canAsk()) throw new NotConfirmedByUser("there is no terminal to ask at; --yes does not ask");
  const word = settings.production ? name : "yes";
  if (settings.production) say(`${name} is marked as production`);
  say(question);
  const answer = await ask(`Type ${word} to go on: `);
  if (answer.trim() !== word) throw new NotConfirmedByUser(`not confirmed: ${JSON.stringify(word)} was not typed`);
}
