#!/usr/bin/env node
import { AdminClientError } from "../client/errors.ts";
import { COMMANDS } from "./commands/table.ts";
import { exitCodeOf, NotConfirmedByUser } from "./exit-codes.ts";
import { runCommandLine } from "./framework/program.ts";
import { failureWords } from "./operations/describe-command.ts";
import { missingModule } from "./process.ts";
import { printError, printErrorOf } from "./terminal/messages.ts";
import { end } from "./terminal/output.ts";

try {
  await end(await runCommandLine(COMMANDS, process.argv.slice(2)));
} catch (error) {
  if (error instanceof AdminClientError) printError(failureWords(error.operation, error));
  else if (error instanceof NotConfirmedByUser) printError(`nothing was sent: ${error.message}`);
  else printErrorOf(missingModule(error) ?? error);
  await end(exitCodeOf(error));
}
