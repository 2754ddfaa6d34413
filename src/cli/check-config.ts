import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readAccessRules } from "../auth/access-rule-file.ts";
import { importLdapts } from "../auth/ldap/connection.ts";
import { readLdapFile } from "../auth/ldap/ldap-file.ts";
import { ACCESS_RULE_FILE, LDAP_FILE, readSecurityFile } from "../auth/security-file.ts";
import { openSimpleAuthentication } from "../auth/simple.ts";
import { parseClaimPath } from "../auth/token/authority-mapping.ts";
import { effectiveSettings } from "../config/effective.ts";
import { type TracedSettings, traceSettings } from "../config/load.ts";
import { type AuthenticationMechanism, authenticationMechanism, describeMechanism } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import { LoopTurns } from "../core/load/turns.ts";
import { keptLog, type Logger } from "../core/logger.ts";
import { escapeControlCharacters } from "../core/records/record.ts";
import { linesOf } from "../core/values/basics.ts";
import { loadInstallation } from "../engine/simulated/installation.ts";
import { checkStreamSettings } from "../gateway/audit-stream/open-stream.ts";
import { engineLinkSettings, sharedNatsSettings } from "../gateway/engine/engine-settings.ts";
import { textOfSetting } from "../gateway/from-settings.ts";
import { openServerTls } from "../gateway/https/https.ts";
import { monitorAuthorities } from "../gateway/proxy/monitor.ts";
import { startWarnings } from "../gateway/start-warnings.ts";
import { EXIT } from "./exit-codes.ts";
import type { Run } from "./framework/definition.ts";
import { DEMO_FOLDER } from "./serve.ts";
import { write } from "./terminal/output.ts";

/**
 * `check-config`: prints the configuration that `serve` would run with, where each value comes from, and how callers would authenticate. The
 * exit code is 1 when `serve` would not start, or without a part of its access files. Nothing is started, made or changed.
 */
export const run: Run = async ({ options: { config, changed }, settings: commandLine }) => {
  const environment = process.env;
  const loaded = await traceSettings(config?.toString() ?? demoConfiguration(), { commandLine, environment });
  const mechanism = authenticationMechanism(loaded.settings);
  const findings = await findStartProblems(loaded.settings, mechanism, environment);
  // What a file says must not steer a terminal.
  write(
    `${escapeControlCharacters([...describe(loaded, mechanism, changed === true), ...verdict(findings, mechanism)]).join("\n")}\n`,
  );
  return findings.problems.length + findings.errors.length > 0 ? EXIT.failed : EXIT.done;
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

function verdict({ problems, errors, warnings }: StartFindings, { kind }: AuthenticationMechanism): string[] {
  const good = kind === "closed" ? "the gateway would start, with the API closed" : "the configuration is in order";
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...errors.map((error) => `ERROR: ${error}`),
    ...problems.map((problem) => `PROBLEM: ${problem}`),
    problems.length > 0
      ? "the gateway would not start"
      : errors.length > 0
        ? "the gateway would start, without what is in error"
        : good,
  ];
}

/** Findings about the files that settings name, one line each. */
export interface StartFindings {
  /** All that would keep the gateway from starting. */
  readonly problems: readonly string[];
  /** Parts of files that would not count. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the files that a gateway with these settings would start from. Opens no connection and leaves nothing running. */
export async function findStartProblems(
  settings: Settings,
  mechanism: AuthenticationMechanism,
  environment: NodeJS.ProcessEnv,
): Promise<StartFindings> {
  const { problems: errors, warnings, log } = keptLog();
  const problems: string[] = [];
  const checks = [
    () => checkEngine(settings),
    async () => checkStreamSettings(settings, (await sharedNatsSettings(settings)) !== undefined),
    () => checkAuthentication(settings, mechanism, environment, log),
    async () => (await openServerTls(settings, log))?.close(),
    () => monitorAuthorities(settings),
  ];
  for (const warning of startWarnings(settings)) log.warn(warning);
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      problems.push(...linesOf(error));
    }
  }
  return { problems, errors, warnings };
}

async function checkEngine(settings: Settings): Promise<void> {
  const transport = settings["admin.engine.transport"];
  const installation = settings["admin.engine.installation"];
  if (transport !== "in-process") await engineLinkSettings(settings, transport);
  else if (installation !== undefined) await loadInstallation(installation);
}

async function checkAuthentication(
  settings: Settings,
  mechanism: AuthenticationMechanism,
  environment: NodeJS.ProcessEnv,
  log: Logger,
): Promise<void> {
  const directory = settings["security.uac.directory"];
  if (mechanism.kind === "token") parseClaimPath(settings["security.oauth2.provider.authoritiesClaim"]);
  if (mechanism.kind !== "basic") return;
  if (mechanism.directory === "ldap") {
    await textOfSetting(settings, "security.uac.ldap.ca");
    return checkLdapFiles(directory, log);
  }
  const authentication = await openSimpleAuthentication({ directory, environment, log });
  authentication.close();
}

/** The directory itself is not asked: it may be unreachable from here, and a gateway starts without it too. */
async function checkLdapFiles(directory: string, log: Logger): Promise<void> {
  await importLdapts();
  const [ldapFile, ruleFile] = [join(directory, LDAP_FILE), join(directory, ACCESS_RULE_FILE)];
  const turns = new LoopTurns();
  const ldap = await readLdapFile(ldapFile, await readSecurityFile(ldapFile), turns);
  const rules = await readAccessRules(ruleFile, await readSecurityFile(ruleFile), turns);
  for (const warning of [...ldap.warnings, ...rules.warnings]) log.warn(warning);
}
