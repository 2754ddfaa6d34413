import { dirname } from "node:path";
import { bindSettings } from "../../src/config/bind.ts";
import { ConfigurationError } from "../../src/config/configuration-error.ts";
import { environmentSource } from "../../src/config/environment-variables.ts";
import { commandLineSource } from "../../src/config/load.ts";
import { findByKey, type PropertySource } from "../../src/config/property.ts";
import type { Settings } from "../../src/config/settings.ts";
import { yamlProperties } from "../../src/config/yaml-file.ts";
import type { Environment } from "../../src/core/values/basics.ts";

const FILE = "/etc/gateway/application.yaml";

/** What the sources that need no disk hold. */
export interface Given {
  readonly commandLine?: readonly string[];
  readonly environment?: Environment;
  /** Text of `application.yaml`. */
  readonly file?: string;
}

/** The sources in their order. */
export function sourcesOf({ commandLine = [], environment = {}, file = "" }: Given): PropertySource[] {
  const properties = yamlProperties(file, "application.yaml");
  const yaml = { name: "application.yaml", properties, strict: true, find: findByKey(properties) };
  return [commandLineSource(commandLine), environmentSource(environment), yaml];
}

/** The effective settings. */
export function settingsOf(given: Given): Settings {
  return bindSettings(sourcesOf(given), dirname(FILE)).settings;
}

/** The lines of the error that sources are refused with; fails when they are accepted. */
export function problemsIn(given: Given): string[] {
  try {
    settingsOf(given);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split("\n");
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(given)}`);
}
