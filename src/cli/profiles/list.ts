import type { Run } from "../command/definition.ts";
import { profilePath, readProfiles } from "../connection/profile.ts";
import { formatOf } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { say } from "../terminal/say.ts";

/** Prints all profiles. */
export const run: Run = async ({ options }) => {
  const path = profilePath(process.env);
  const file = await readProfiles(path);
  if (!file) say(`there is no file of profiles ${path}`);
  const rows = Object.entries(file?.profiles ?? {}).map(([name, profile]) => ({
    name,
    current: name === file?.current,
    production: profile.production === true,
    addresses: [profile.addresses ?? profile.url ?? []].flat().join(", "),
    user: profile.user ?? profile.clientId ?? null,
  }));
  const columns = ["name", "current", "production", "addresses", "user"].map(
    (name) => ({ name, kind: "text" }) as const,
  );
  await printRows({ value: rows, rows, columns }, formatOf(options));
  return 0;
};
