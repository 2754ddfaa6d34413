import { lostWords } from "../../core/stops/words.ts";
import type { Column } from "../output/columns.ts";
import { type Format, isForPeople } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { printInfo, warn } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import type { Halts } from "./halts.ts";

/** All four are what the list is read for; they fit 80 columns. */
const COLUMNS: readonly Column[] = [
  { name: "projectionPath", kind: "text", keep: 28 },
  { name: "since", kind: "time", keep: 20 },
  { name: "by", kind: "text", keep: 8 },
  { name: "reason", kind: "text", keep: 16 },
];

/** Prints a list of halts on standard output, below a title if there is one, and on standard error what it may lack and what the engine has forgotten. */
export async function printHalts(list: Halts, format: Format, title?: string): Promise<void> {
  const { halts, complete, lacks } = list;
  const rows = isForPeople(format)
    ? halts.map((halt) => ({ ...halt, projectionPath: halt.projectionPath || "(system-wide)" }))
    : halts;
  if (rows.length > 0 && title !== undefined) write(`${title}\n\n`);
  if (rows.length > 0 || !isForPeople(format)) await printRows({ value: halts, rows, columns: COLUMNS }, format);
  else write(`nothing is ${complete ? "" : "known to be "}halted\n`);
  if (lacks !== undefined) printInfo(lacks);
  warnOfLost(list);
}

/** Says which stops the engine no longer shows: it may have been restarted. */
export function warnOfLost({ lost }: Halts): void {
  for (const stop of lost) warn(lostWords(stop, Date.now()));
}
