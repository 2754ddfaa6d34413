import { openSimpleAuthentication } from "../auth/simple.ts";
import { parseClaimPath } from "../auth/token/claim-path.ts";
import type { AuthenticationMechanism } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import { loadInstallation } from "../engine/simulated/installation.ts";
import { engineLinkSettings } from "../gateway/engine-settings.ts";

/** What the files that settings name have to say, each a line for the operator. */
export interface StartFindings {
  /** Whatever would keep the gateway from starting. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the files that a gateway with these settings would start from. Opens no connection and leaves nothing running. */
export async function findStartProblems(
  settings: Settings,
  mechanism: AuthenticationMechanism,
  environment: NodeJS.ProcessEnv,
): Promise<StartFindings> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message), error: (message: string) => problems.push(message) };
  const checks = [() => checkEngine(settings), () => checkAuthentication(settings, mechanism, environment, log)];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      problems.push(...(error instanceof Error ? error.message : String(error)).split("\n"));
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

interface FindingLog {
  warn(message: string): void;
  error(message: string): void;
}

async function checkAuthentication(
  settings: Settings,
  mechanism: AuthenticationMechanism,
  environment: NodeJS.ProcessEnv,
  log: FindingLog,
): Promise<void> {
  if (mechanism.kind === "token") parseClaimPath(settings["security.oauth2.provider.authoritiesClaim"]);
  if (mechanism.kind !== "basic" || mechanism.directory !== "file") return;
  const directory = settings["security.uac.directory"];
  const authentication = await openSimpleAuthentication({ directory, environment, log });
  authentication.close();
}
