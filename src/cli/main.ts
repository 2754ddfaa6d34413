#!/usr/bin/env node
import { messageOf } from "../core/values/basics.ts";
import { runCommandLine } from "./command/program.ts";
import { COMMANDS } from "./commands/table.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { end } from "./terminal/output.ts";
import { complain } from "./terminal/say.ts";

try {
  await end(await runCommandLine(COMMANDS, process.argv.slice(2)));
} catch (error) {
  complain(messageOf(error));
  await end(exitCodeOf(error));
}
