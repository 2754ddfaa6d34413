import { connect } from "../connection/connect.ts";
import type { Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { printHalts, readHalts } from "./halts.ts";

/** `trading halts`: the paths that are halted, since when and by whom. */
export const run: Run = async ({ options }) => {
  const { client } = await connect(options);
  await printHalts(await readHalts(client), formatOf(options));
};
