#!/usr/bin/env node
import { messageOf } from "../core/values/basics.ts";
import { runCommandLine } from "./command/program.ts";
import { COMMANDS } from "./commands/table.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { complain } from "./terminal/say.ts";

// The reader of the output may have seen enough, as `head` has. Once Node has made this stream, a pipe whose reader does not keep
// up lets a write fail instead of halting the process: a log must not stand in the way of a stop.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  process.exitCode = await runCommandLine(COMMANDS, process.argv.slice(2));
} catch (error) {
  complain(messageOf(error));
  process.exitCode = exitCodeOf(error);
}
