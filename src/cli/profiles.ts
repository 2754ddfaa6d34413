import { randomUUID } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { profileNamed, profilePath, readProfiles, selectedProfile } from "./connection/profile.ts";
import { UsageError } from "./exit-codes.ts";
import type { Run } from "./framework/definition.ts";
import { textColumns } from "./output/columns.ts";
import { formatOf } from "./output/format.ts";
import { printRecord, printRows } from "./output/print.ts";
import { printInfo } from "./terminal/messages.ts";

export const listProfiles: Run = async ({ options }) => {
  const path = profilePath(process.env);
  const file = await readProfiles(path);
  if (!file) printInfo(`there is no file of profiles ${path}`);
  const rows = Object.entries(file?.profiles ?? {}).map(([name, profile]) => ({
    name,
    current: name === file?.current,
    production: profile.production === true,
    addresses: [profile.addresses ?? profile.url ?? []].flat().join(", "),
    user: profile.user ?? profile.clientId ?? null,
  }));
  const columns = textColumns("name", "current", "production", "addresses", "user");
  await printRows({ value: rows, rows, columns }, formatOf(options));
};

/** Makes a profile the one in use. Comments and the order of the file stay as they are. */
export const useProfile: Run = async ({ arguments: { name } }) => {
  const path = profilePath(process.env);
  const file = await readProfiles(path);
  if (!file) throw new UsageError(`there is no file of profiles ${path}`);
  profileNamed(file, String(name));
  const { parseDocument } = await import("yaml");
  const document = parseDocument(file.text);
  document.set("current", String(name));
  // A reader sees the old file or the new one; nobody has put a link or a file of theirs in the place of the new one.
  const fresh = `${path}.${randomUUID()}.new`;
  writeFileSync(fresh, document.toString({ lineWidth: 0 }), { mode: 0o600, flag: "wx" });
  renameSync(fresh, path);
  printInfo(`${name} is in use`);
};

/** Prints a profile. It holds no secrets. */
export const showProfile: Run = async ({ arguments: { name }, options }) => {
  const profile = await selectedProfile(name === undefined ? undefined : String(name), process.env);
  if (!profile) throw new UsageError("no profile is in use; profile use NAME chooses one");
  const record = { name: profile.name, ...profile.values };
  await printRecord({ value: record, record }, formatOf(options));
};
