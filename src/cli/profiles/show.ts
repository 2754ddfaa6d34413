import type { Run } from "../command/definition.ts";
import { selectedProfile } from "../connection/profile.ts";
import { UsageError } from "../exit-codes.ts";
import { formatOf } from "../output/format.ts";
import { printRecord } from "../output/print.ts";

/** Prints what a profile says. There are no secrets in it. */
export const run: Run = async ({ arguments: { name }, options }) => {
  const profile = await selectedProfile(name === undefined ? undefined : String(name), process.env);
  if (!profile) throw new UsageError("no profile is in use; profile use NAME chooses one");
  const record = { name: profile.name, ...profile.values };
  await printRecord({ value: record, record }, formatOf(options));
  return 0;
};
