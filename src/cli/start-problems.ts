import { join } from "node:path";
import { readAccessRules } from "../auth/access-rule-file.ts";
import { importLdapts } from "../auth/ldap/connection.ts";
import { readLdapFile } from "../auth/ldap/ldap-file.ts";
import { ACCESS_RULE_FILE, LDAP_FILE, readSecurityFile } from "../auth/security-file.ts";
import { openSimpleAuthentication } from "../auth/simple.ts";
import { parseClaimPath } from "../auth/token/claim-path.ts";
import type { AuthenticationMechanism } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import { keptLog, type Logger } from "../core/logger.ts";
import { messageOf } from "../core/values/basics.ts";
import { loadInstallation } from "../engine/simulated/installation.ts";
import { engineLinkSettings } from "../gateway/engine/engine-settings.ts";
import { openServerTls } from "../gateway/https/https.ts";
import { monitorAuthorities } from "../gateway/proxy/monitor.ts";
import { textOfSetting } from "../gateway/setting-file.ts";

/** What the files that settings name have to say, each a line for the operator. */
export interface StartFindings {
  /** All that would keep the gateway from starting. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the files that a gateway with these settings would start from. Opens no connection and leaves nothing running. */
export async function findStartProblems(
  settings: Settings,
  mechanism: AuthenticationMechanism,
  environment: NodeJS.ProcessEnv,
): Promise<StartFindings> {
  const { problems, warnings, log } = keptLog();
  const checks = [
    () => checkEngine(settings),
    () => checkAuthentication(settings, mechanism, environment, log),
    () => checkTls(settings, log),
    () => monitorAuthorities(settings),
  ];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      problems.push(...messageOf(error).split("\n"));
    }
  }
  return { problems, warnings };
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

async function checkTls(settings: Settings, log: Logger): Promise<void> {
  const tls = await openServerTls(settings, log);
  tls?.close();
}

/** The directory itself is not asked: it may be out of reach from here, and a gateway starts without it too. */
async function checkLdapFiles(directory: string, log: Logger): Promise<void> {
  const { FilterParser } = await importLdapts();
  const [ldapFile, ruleFile] = [join(directory, LDAP_FILE), join(directory, ACCESS_RULE_FILE)];
  const ldap = readLdapFile(ldapFile, await readSecurityFile(ldapFile), (filter) => FilterParser.parseString(filter));
  const rules = readAccessRules(ruleFile, await readSecurityFile(ruleFile));
  for (const warning of [...ldap.warnings, ...rules.warnings]) log.warn(warning);
}
