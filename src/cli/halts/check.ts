import { AdminClientError } from "../../client/errors.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { connect } from "../connection/connect.ts";
import { EXIT, exitCodeOfCheck } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { printError } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { type Halts, haltWords, readHalts, warnOfLost } from "./halts.ts";

/** `trading check`: a line for each path that is halted, and an exit code for scripts. */
export const run: Run = async ({ options }) => {
  const { client } = await connect(options);
  let list: Halts;
  try {
    list = await readHalts(client);
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    printError(`nobody can say what is halted: ${error.message}`);
    return exitCodeOfCheck(error);
  }
  const { halts, complete, lacks } = list;
  warnOfLost(list);
  if (halts.length === 0) {
    write(complete ? "nothing is halted\n" : `nothing is known to be halted; ${lacks}\n`);
    return EXIT.done;
  }
  write(`${escapeControlCharacters(halts.map(haltWords)).join("\n")}\n`);
  return EXIT.failed;
};
