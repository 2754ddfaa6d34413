import { closeSync, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isObject } from "../../core/values/basics.ts";
import { didYouMeanOneOf } from "../../core/values/near-names.ts";
import { documentAt } from "../../files/package-files.ts";
import { UsageError } from "../exit-codes.ts";
import type { ConnectionSettings, Source } from "./settings.ts";

export interface ProfileFile {
  readonly path: string;
  readonly text: string;
  /** Name of the profile in use. */
  readonly current: string | undefined;
  /** Values by option name in camel case. */
  readonly profiles: Readonly<Record<string, Source>>;
}

const TEXTS = ["url", "user", "password-command", "token-url", "client-id", "scope", "audience", "resource"];
const FILES = ["password-file", "token-file", "client-secret-file", "ca", "certificate", "private-key"];
const SWITCHES = ["production", "allow-plain-http"];
const KEYS = ["addresses", ...TEXTS, ...FILES, ...SWITCHES];

/** Others may neither read nor write it: it says where passwords are, and a command in it is run. */
const OTHERS = 0o077;

const ROOT = 0;

/** Where the profiles are: `TRADING_ADMIN_CONFIG`, or `trading-admin/config.yaml` in the user's configuration folder. */
export function profilePath(environment: NodeJS.ProcessEnv): string {
  const { TRADING_ADMIN_CONFIG: given, XDG_CONFIG_HOME: folder } = environment;
  return given || join(folder || join(homedir(), ".config"), "trading-admin", "config.yaml");
}

/**
 * Reads the file of profiles; undefined where there is none.
 *
 * @throws UsageError for a file that others own, or can read or change, and for anything in it that is not understood.
 */
export async function readProfiles(path: string): Promise<ProfileFile | undefined> {
  const text = textOf(path);
  if (text === undefined) return undefined;
  const { parse } = await import("yaml");
  let content: unknown;
  try {
    content = parse(text);
  } catch (cause) {
    throw unreadable(path, cause);
  }
  return profileFile(path, text, content ?? {});
}

/** Undefined without a file. It is opened once: another one may take its place before it is read. */
function textOf(path: string): string | undefined {
  const file = opened(path);
  if (file === undefined) return undefined;
  try {
    if (process.getuid) refuseOfOthers(path, fstatSync(file), process.getuid());
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): UsageError {
  return new UsageError(`${path}: ${(cause as Error).message.split("\n")[0]}`, { cause });
}

function refuseOfOthers(path: string, { mode, uid }: Pick<Stats, "mode" | "uid">, user: number): void {
  if (uid !== user && uid !== ROOT)
    throw new UsageError(
      `${path} belongs to another user, who can change it; name one of your own in TRADING_ADMIN_CONFIG`,
    );
  if ((mode & OTHERS) !== 0)
    throw new UsageError(`${path} can be read or changed by other users; run: chmod 600 ${path}`);
}

/**
 * The profile that an option or variable names, or that is in use. A file that is named but does not exist is an error
 * only for who needs it: `isAddressed` says that an address was given otherwise.
 */
export async function selectedProfile(
  option: string | undefined,
  environment: NodeJS.ProcessEnv,
  isAddressed = false,
): Promise<{ name: string; values: Source; from: "option" | "variable" | "current" } | undefined> {
  const path = profilePath(environment);
  const file = await readProfiles(path);
  const requested = option ?? (environment.TRADING_ADMIN_PROFILE || undefined);
  if (!file) {
    const isNeeded = requested !== undefined || (environment.TRADING_ADMIN_CONFIG && !isAddressed);
    if (!isNeeded) return undefined;
    throw new UsageError(`there is no file of profiles ${path}`);
  }
  const name = requested ?? file.current;
  if (name === undefined) return undefined;
  const from = option !== undefined ? "option" : requested !== undefined ? "variable" : "current";
  return { name, values: profileNamed(file, name), from };
}

/** @throws UsageError that names the nearest profile. */
export function profileNamed({ path, profiles }: ProfileFile, name: string): Source {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found) return found;
  const names = Object.keys(profiles);
  throw new UsageError(`${path} has no profile ${JSON.stringify(name)}${didYouMeanOneOf(name, names)}`);
}

function profileFile(path: string, text: string, content: unknown): ProfileFile {
  const { current, profiles = {}, ...others } = mapping(path, "the file", content);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new UsageError(
      `${path}: unknown key ${JSON.stringify(unknown)}${didYouMeanOneOf(unknown, ["current", "profiles"])}`,
    );
  }
  if (current !== undefined && typeof current !== "string") throw new UsageError(`${path}: current: must be a name`);
  const entries = Object.entries(mapping(path, "profiles", profiles));
  const read = entries.map(([name, values]) => [name, profileOf(path, `profiles.${name}`, values)]);
  return { path, text, current, profiles: Object.fromEntries(read) };
}

function profileOf(path: string, where: string, content: unknown): Source {
  const entries = Object.entries(mapping(path, where, content));
  return Object.fromEntries(
    entries.map(([key, value]) => [camelCase(key), settingOf(path, `${where}.${key}`, key, value)]),
  );
}

function settingOf(path: string, where: string, key: string, value: unknown): Source[string] {
  if (!KEYS.includes(key))
    throw new UsageError(`${path}: unknown key ${JSON.stringify(where)}${didYouMeanOneOf(key, KEYS)}`);
  if (SWITCHES.includes(key)) {
    if (typeof value === "boolean") return value;
    throw new UsageError(`${path}: ${where}: must be true or false`);
  }
  if (key === "addresses") {
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")) return value;
    throw new UsageError(`${path}: ${where}: must be a list of URLs`);
  }
  if (typeof value !== "string" || value === "") throw new UsageError(`${path}: ${where}: must be text`);
  return FILES.includes(key) ? fileOf(path, value) : value;
}

/** Paths are relative to the file that names them; `~/` is the home directory. */
function fileOf(path: string, value: string): string {
  if (value.startsWith("~/")) return join(homedir(), value.slice(2));
  return value === "-" ? value : resolve(dirname(path), value);
}

function mapping(path: string, where: string, value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new UsageError(`${path}: ${where}: must be a mapping`);
}

function camelCase(key: string): string {
  return key.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Whether nothing says which gateway, nor who calls. */
export function isNothingGiven({ isAddressed, profile, credentials }: ConnectionSettings): boolean {
  return !isAddressed && profile === undefined && Object.keys(credentials).length === 0;
}

/** What to do then: whoever has profiles has not chosen one; everybody else may be in the second shell of the demo. */
export async function howToGive(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const path = profilePath(environment);
  const names = Object.keys((await readProfiles(path))?.profiles ?? {});
  const demo = "paste the two lines for another shell that npm start printed";
  const ways =
    names.length > 0
      ? `use --profile NAME, or trading-admin profile use NAME (known: ${names.join(", ")}); for the demo, ${demo}`
      : `for the demo, ${demo}; otherwise use --url with --user and --password-file, or write a profile (${path}, ${documentAt("operate/profiles")})`;
  return `no gateway and no user are given: ${ways}`;
}
