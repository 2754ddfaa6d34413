import type { AdminClient } from "../../client/client.ts";
import type { Options } from "../command/definition.ts";
import { stateFields } from "../operations/state.ts";
import { formatOf } from "../output/format.ts";
import { printRecord } from "../output/print.ts";
import { write } from "../terminal/output.ts";
import { readHalts } from "./halts.ts";
import { printHalts, warnOfLost } from "./print.ts";

/** Prints whether all trading is halted, and what else is: a node may be halted while the whole is not. */
export async function printRoot(client: AdminClient, options: Options): Promise<void> {
  const format = formatOf(options);
  const [state, list] = await Promise.all([client.getTradingStatus({}), readHalts(client)]);
  const { complete, halts } = list;
  const record = format === "csv" ? state : stateFields(state);
  await printRecord({ value: { ...state, complete, halts }, record }, format);
  if (format === "json" || format === "yaml" || format === "csv") return warnOfLost(list);
  write("\n");
  await printHalts(list, format, "what is halted");
}
