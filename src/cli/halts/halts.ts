import type { AdminClient, CallOptions } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { isAt } from "../../client/positions-at.ts";
import { givenReason } from "../../core/conventions.ts";
import type { Output } from "../../core/operations/table.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import {
  type ActiveStop,
  forgotWords,
  type LostStop,
  lostWords,
  repeatedWords,
  repetitionWords,
} from "../../core/stops/words.ts";
import { isoTimeOf } from "../../core/values/basics.ts";
import { connect } from "../connection/connect.ts";
import { EXIT, exitCodeOfCheck } from "../exit-codes.ts";
import type { Options, Run } from "../framework/definition.ts";
import { failureWords } from "../operations/describe-command.ts";
import { segmentsOf } from "../operations/path.ts";
import { stateFields } from "../operations/state.ts";
import type { Column, Row } from "../output/columns.ts";
import { type Format, formatOf, isForPeople } from "../output/format.ts";
import { printRecord, printRows } from "../output/print.ts";
import { printError, printInfo, warn } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";

type Listed = Output<"listHalts">;

export type Halt = Listed["halts"][number];

export interface Halts {
  readonly halts: readonly Halt[];
  /** What is disabled. */
  readonly stops: readonly ActiveStop[];
  readonly lost: readonly LostStop[];
  /** Whether there are certainly no others. */
  readonly complete: boolean;
  /** Says in a sentence what the list may lack; undefined where it is complete. */
  readonly lacks: string | undefined;
  /** The gateway warned that the list does not say all, which the client has passed on: nobody can say for certain what is stopped. */
  readonly isDoubtful: boolean;
}

type Client = Pick<AdminClient, "listHalts" | "getTradingStatus">;

const NOT_FOUND = 404;

/** Reads what is halted. A gateway that does not list it (an older one, or one without extensions) still says whether everything is. */
export async function readHalts(client: Client, call: CallOptions = {}): Promise<Halts> {
  let isDoubtful = false;
  const onWarning: CallOptions["onWarning"] = (warning) => {
    isDoubtful = true;
    call.onWarning?.(warning);
  };
  try {
    const {
      halts,
      stops = [],
      lost = [],
      complete,
    }: Partial<Listed> = await client.listHalts({}, { ...call, onWarning });
    if (halts === undefined || complete === undefined) return haltOfAll(await client.getTradingStatus({}, call));
    const lacks = complete ? undefined : "there may be others, halted through another gateway or at the engine";
    return { halts, stops, lost, complete, lacks, isDoubtful };
  } catch (error) {
    if (!(error instanceof AdminClientError) || error.status !== NOT_FOUND) throw error;
    return haltOfAll(await client.getTradingStatus({}, call));
  }
}

function haltOfAll({ halted, reason }: Output<"getTradingStatus">): Halts {
  const halts = halted ? [{ projectionPath: "", reason, since: null, by: null }] : [];
  const lacks = "nodes halted one by one are not included: this gateway does not list them";
  return { halts, stops: [], lost: [], complete: false, lacks, isDoubtful: false };
}

/** Nodes at a path or below that are halted individually; those of the whole system for an empty path. */
export function nodesBelow(path: string, halts: readonly Halt[]): Halt[] {
  const nodes = halts.filter(({ projectionPath }) => projectionPath !== "" && projectionPath !== path);
  if (path === "") return nodes;
  const wanted = segmentsOf(path);
  return nodes.filter(({ projectionPath }) => isAt(projectionPath, wanted));
}

/** `Account[GOLD] halted since 2026-01-05T09:31:00Z by alice: bad fills; repeated 09:40:12 by bob (bad fills)`. */
export function haltWords({ projectionPath, reason, since, by, repeated }: Halt): string {
  const who = `${since === null ? "" : ` since ${secondsOf(since)}`}${by === null ? "" : ` by ${by}`}`;
  return `${projectionPath === "" ? "all trading" : projectionPath} halted${who}: ${givenReason(reason) ?? "no reason given"}${repeatedWords(repeated, Date.now())}`;
}

function secondsOf(at: number): string {
  return isoTimeOf(at).replace(/\.\d+Z$/, "Z");
}

/** All four are what the list is read for; they fit 80 columns. Where a halt was repeated, people get a fifth. */
const COLUMNS: readonly Column[] = [
  { name: "projectionPath", kind: "text", keep: 28 },
  { name: "since", kind: "time", keep: 20 },
  { name: "by", kind: "text", keep: 8 },
  { name: "reason", kind: "text", keep: 16 },
];

/** Prints a list of halts on standard output, below a title if there is one, and on standard error what it may lack and what the engine has forgotten. */
export async function printHalts(list: Halts, format: Format, title?: string): Promise<void> {
  const { halts, lacks } = list;
  const rows = isForPeople(format) ? halts.map(rowOf) : halts;
  const isRepeated = isForPeople(format) && halts.some(({ repeated }) => repeated);
  const columns = isRepeated ? [...COLUMNS, { name: "repeated", kind: "text" } as const] : COLUMNS;
  if (rows.length > 0 && title !== undefined) write(`${title}\n\n`);
  if (rows.length > 0 || !isForPeople(format)) await printRows({ value: halts, rows, columns }, format);
  else write(`${nothingHalted(list)}\n`);
  if (lacks !== undefined) printInfo(lacks);
  warnOfLost(list.lost);
}

/** A halt as a row for people. */
function rowOf(halt: Halt): Row {
  const { repeated } = halt;
  return {
    ...stateFields(halt),
    repeated: repeated && repetitionWords(repeated, Date.now()),
  };
}

/** Whoever reads standard output alone must not take a loss for an all-clear. */
function nothingHalted({ complete, isDoubtful, lost }: Halts): string {
  const none = `nothing is ${complete && !isDoubtful ? "" : "known to be "}halted`;
  return lost.length === 0 ? none : `${none}; the ${forgotWords(lost.length)}`;
}

/** `trading halts`: the paths that are halted, since when and by whom. */
export const listHalts: Run = async ({ options }) => {
  const { client } = await connect(options);
  await printHalts(await readHalts(client), formatOf(options));
};

/** Says which stops the engine no longer shows: it may have been restarted. */
export function warnOfLost(lost: Halts["lost"]): void {
  for (const stop of lost) warn(lostWords(stop, Date.now()));
}

/** Prints whether all trading is halted, and what else is: a node may be halted while the whole is not. */
export async function printRoot(client: AdminClient, options: Options): Promise<void> {
  const format = formatOf(options);
  const [state, list] = await Promise.all([client.getTradingStatus({}), readHalts(client)]);
  const { complete, halts } = list;
  const record = format === "csv" ? state : stateFields(state);
  await printRecord({ value: { ...state, complete, halts }, record }, format);
  if (format === "json" || format === "yaml" || format === "csv") return warnOfLost(list.lost);
  write("\n");
  await printHalts(list, format, "what is halted");
}

/** `trading check`: a line for each path that is halted, and an exit code for scripts; a stop that the engine has forgotten counts, too. */
export const checkHalts: Run = async ({ options }) => {
  const { client } = await connect(options);
  let list: Halts;
  try {
    list = await readHalts(client);
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    printError(`nobody can say what is halted: ${failureWords("listHalts", error)}`);
    return exitCodeOfCheck(error);
  }
  const { halts, lost, lacks, isDoubtful } = list;
  warnOfLost(list.lost);
  if (halts.length > 0) {
    write(`${escapeControlCharacters(halts.map(haltWords)).join("\n")}\n`);
    return EXIT.failed;
  }
  const words = [nothingHalted(list), lacks];
  write(`${words.filter((part) => part !== undefined).join("; ")}\n`);
  if (lost.length > 0) return EXIT.failed;
  return isDoubtful ? EXIT.unknown : EXIT.done;
};
