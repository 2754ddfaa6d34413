import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { effectiveSettings } from "../config/effective.ts";
import { type TracedSettings, traceSettings } from "../config/load.ts";
import { type AuthenticationMechanism, authenticationMechanism, describeMechanism } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import { escapeControlCharacters } from "../core/records/record.ts";
import type { Run } from "./command/definition.ts";
import { EXIT } from "./exit-codes.ts";
import { DEMO_FOLDER } from "./serve.ts";
import { findStartProblems, type StartFindings } from "./start-problems.ts";

/**
 * `check-config`: prints the configuration that `serve` would run with, where each value comes from, and how callers would authenticate. The
 * exit code is 1 when `serve` would not start. Nothing is started, made or changed.
 */
export const run: Run = async ({ options: { config, changed }, settings: commandLine }) => {
  const environment = process.env;
  const loaded = await traceSettings(config?.toString() ?? demoConfiguration(), { commandLine, environment });
  const mechanism = authenticationMechanism(loaded.settings);
  const findings = await findStartProblems(loaded.settings, mechanism, environment);
  // What a file says must not steer a terminal.
  process.stdout.write(
    `${escapeControlCharacters([...describe(loaded, mechanism, changed === true), ...verdict(findings, mechanism)]).join("\n")}\n`,
  );
  return findings.problems.length > 0 ? EXIT.failed : EXIT.done;
};

function demoConfiguration(): string {
  const file = resolve(DEMO_FOLDER, "application.yaml");
  if (existsSync(file)) return file;
  throw new Error(
    `there is no demo in ${DEMO_FOLDER} to check (serve makes one); name a configuration file with --config`,
  );
}

function describe(loaded: TracedSettings, mechanism: AuthenticationMechanism, onlyChanged: boolean): string[] {
  const settings = effectiveSettings(loaded).filter(({ changed }) => changed || !onlyChanged);
  const keys = width(settings.map(({ key }) => key));
  const values = Math.min(width(settings.map(({ value }) => value ?? "")), 40);
  return [
    "sources, of which the first that gives a setting decides",
    ...loaded.sources.map((source) => `  ${source}`),
    onlyChanged ? "settings that differ from their defaults" : "settings",
    ...(settings.length === 0 ? ["  none"] : []),
    ...settings.map(
      ({ key, value = "not set", from }) => `  ${key.padEnd(keys)}  ${(value || '""').padEnd(values)}  ${from}`,
    ),
    "authentication",
    `  ${authenticationOf(mechanism, loaded.settings)}`,
  ];
}

function width(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length));
}

function authenticationOf(mechanism: AuthenticationMechanism, settings: Settings): string {
  if (!settings["admin.api.enabled"]) return "none: admin.api.enabled is false, so there is no API";
  return describeMechanism(mechanism, settings["security.uac.directory"]);
}

function verdict({ problems, warnings }: StartFindings, { kind }: AuthenticationMechanism): string[] {
  const good = kind === "closed" ? "the gateway would start, with the API closed" : "the configuration is in order";
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...problems.map((problem) => `PROBLEM: ${problem}`),
    problems.length > 0 ? "the gateway would not start" : good,
  ];
}
