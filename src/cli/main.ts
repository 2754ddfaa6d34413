#!/usr/bin/env node
import { COMMANDS } from "./commands/table.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { runCommandLine } from "./framework/program.ts";
import { printErrorOf } from "./terminal/messages.ts";
import { end } from "./terminal/output.ts";

try {
  await end(await runCommandLine(COMMANDS, process.argv.slice(2)));
} catch (error) {
  printErrorOf(error);
  await end(exitCodeOf(error));
}
