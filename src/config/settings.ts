import { z } from "zod";
import { infoOfSetting, type SettingInfo, setting } from "./setting.ts";
import { apiSettings, auditSettings, laneSettings } from "./settings/api.ts";
import { engineSettings, sharedSettings } from "./settings/engine.ts";
import { monitorSettings } from "./settings/monitor.ts";
import { policySettings } from "./settings/policy.ts";
import { securitySettings, tokenSettings } from "./settings/security.ts";
import { managementSettings, serverSettings, sslSettings } from "./settings/server.ts";
import { listOf, word } from "./values.ts";

const CONFIG_TREE = /^(?:optional:)?configtree:./;

const sourceSettings = {
  "spring.config.import": setting(
    listOf("folders (`configtree:/run/secrets/`, `optional:configtree:/run/secrets/`)", CONFIG_TREE),
    "",
    "Folders whose files are settings, see above.",
  ),
  "admin.settings.prefix": setting(
    word("a first part of keys, such as `spring`", /^[A-Za-z][A-Za-z0-9-]*$/),
    "spring",
    "What this installation writes in place of `spring` in `spring.security.oauth2`; config trees cannot give it. The keys as " +
      "they are documented count too.",
  ),
};

/**
 * Every setting of `application.yaml` under its documented key. This is the only definition: types, validation, messages,
 * known keys and `docs/reference/settings.md` are derived from it.
 */
export const settingsSchema = z.object({
  ...serverSettings,
  ...sslSettings,
  ...managementSettings,
  ...monitorSettings,
  ...apiSettings,
  ...engineSettings,
  ...sharedSettings,
  ...laneSettings,
  ...policySettings,
  ...auditSettings,
  ...securitySettings,
  ...tokenSettings,
  ...sourceSettings,
});

/** The validated settings by their documented keys; sizes are in bytes, durations in milliseconds, paths are absolute. */
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

export type SettingKey = keyof typeof settingsSchema.shape;

/** All documented keys, in the order of the reference. */
export const SETTING_KEYS = Object.keys(settingsSchema.shape) as readonly SettingKey[];

export function settingInfo(key: SettingKey): SettingInfo {
  const info = infoOfSetting(settingsSchema.shape[key]);
  if (info === undefined) throw new Error(`setting "${key}" was not defined by setting() or optional()`);
  return info;
}

/** Sections for the monitor's own login, of which the API uses only the settings above; other keys there are not looked at. */
export const FOREIGN_SECTIONS = ["spring.security.oauth2.client"] as const;

const JWT = "spring.security.oauth2.resourceserver.jwt";

/** Keys that are no longer supported, and what replaces each (specification, "Authentication" 5). */
export const REMOVED_KEYS = {
  "security.oauth2.provider.audience": `${JWT}.audiences`,
  "security.oauth2.provider.validateIssuer": `${JWT}.issuer-uri`,
} as const satisfies Readonly<Record<string, string>>;
