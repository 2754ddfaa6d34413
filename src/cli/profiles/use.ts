import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Run } from "../command/definition.ts";
import { profileNamed, profilePath, readProfiles } from "../connection/profile.ts";
import { UsageError } from "../exit-codes.ts";
import { say } from "../terminal/say.ts";

/** Makes a profile the one in use. Comments and the order of the file stay as they are. */
export const run: Run = async ({ arguments: { name } }) => {
  const path = profilePath(process.env);
  const file = await readProfiles(path);
  if (!file) throw new UsageError(`there is no file of profiles ${path}`);
  profileNamed(file, String(name));
  const { parseDocument } = await import("yaml");
  const document = parseDocument(readFileSync(path, "utf8"));
  document.set("current", String(name));
  // Whoever reads it meanwhile sees the old file or the new one.
  writeFileSync(`${path}.new`, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  say(`${name} is in use`);
  return 0;
};
