import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { withoutSecrets } from "../core/urls.ts";
import { bindSettings, type GivenSetting } from "./bind.ts";
import type { TracedSettings } from "./load.ts";
import { isConfidential } from "./placeholders.ts";
import { originText } from "./property.ts";
import type { SettingInfo } from "./setting.ts";
import { SETTING_KEYS, type SettingKey, settingInfo } from "./settings.ts";

export interface EffectiveSetting {
  /** Documented key, with the name in place of `*`. */
  readonly key: string;
  /** The effective value as it would be written; `***` for what must not be shown; undefined if it is not set. */
  readonly value: string | undefined;
  /** The place that decided, with those that its placeholders led to; or `default`. */
  readonly from: string;
  /** The effective value is not the default. */
  readonly changed: boolean;
}

const MASK = "***";

/** Every setting with its effective value and where it comes from, in the order of the reference. */
export function effectiveSettings(loaded: TracedSettings): EffectiveSetting[] {
  const { settings: defaults } = bindSettings([], dirname(loaded.file));
  return SETTING_KEYS.flatMap((key) => {
    const given = [...loaded.given].filter(([, { target }]) => target.key === key);
    if (given.length === 0) return key.includes("*") ? [] : [defaultOf(key, loaded)];
    return given.map(([written, setting]) => ({
      key: written,
      value: shown(setting, settingInfo(key), loaded.settings[key]),
      from: [setting.property, ...setting.resolved.used].map(({ origin }) => originText(origin)).join(", "),
      changed: !isDeepStrictEqual(loaded.settings[key], defaults[key]),
    }));
  });
}

function defaultOf(key: SettingKey, { settings }: TracedSettings): EffectiveSetting {
  const { fallback, path } = settingInfo(key);
  return {
    key,
    value: path && fallback !== undefined ? String(settings[key]) : fallback,
    from: "default",
    changed: false,
  };
}

function shown({ resolved }: GivenSetting, { secret, path }: SettingInfo, value: unknown): string {
  if (secret || isConfidential(resolved)) return MASK;
  if (path) return String(value);
  const written = withoutSecrets(JSON.stringify(resolved.value));
  return typeof resolved.value === "string" ? (JSON.parse(written) as string) : written;
}
