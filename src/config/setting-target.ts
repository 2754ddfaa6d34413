import { canonicalKey } from "./property.ts";
import { SETTING_KEYS, type SettingKey } from "./settings.ts";

/** A setting that a written key means, and the name that stands for `*` in its key, if it has one. */
export interface SettingTarget {
  readonly key: SettingKey;
  readonly name?: string;
}

interface NamedSetting {
  readonly key: SettingKey;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Settings without a name, by their canonical keys. */
export const SINGLE_SETTINGS: ReadonlyMap<string, SettingKey> = new Map(
  SETTING_KEYS.filter((key) => !key.includes("*")).map((key) => [canonicalKey(key), key]),
);

const NAMED_SETTINGS = SETTING_KEYS.flatMap((key): NamedSetting[] => {
  const [before, after] = key.split("*");
  return after === undefined ? [] : [{ key, before: segments(before), after: segments(after) }];
});

function segments(part: string | undefined): string[] {
  return (part ?? "").split(".").filter((segment) => segment !== "");
}

/** The setting that a key means, in whatever spelling; none if it is not a setting. */
export function settingTarget(written: string): SettingTarget | undefined {
  const key = SINGLE_SETTINGS.get(canonicalKey(written));
  return key === undefined ? namedTarget(written.split(".")) : { key };
}

/** A name may hold dots, and stand in brackets as Spring has it: `authorityMapping.[my.role]`. */
function namedTarget(parts: readonly string[]): SettingTarget | undefined {
  for (const { key, before, after } of NAMED_SETTINGS) {
    const end = parts.length - after.length;
    const name = parts.slice(before.length, end).join(".");
    const isOurs = name !== "" && same(parts.slice(0, before.length), before) && same(parts.slice(end), after);
    if (isOurs) return { key, name: name.replace(/^\[(.+)\]$/, "$1") };
  }
  return undefined;
}

function same(written: readonly string[], documented: readonly string[]): boolean {
  return canonicalKey(written.join(".")) === canonicalKey(documented.join("."));
}

/** The documented key of a target, with the name in its place. */
export function targetKey({ key, name }: SettingTarget): string {
  return name === undefined ? key : key.replace("*", () => name);
}
