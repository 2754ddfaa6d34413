import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { KnownUser } from "../auth/names.ts";
import { loadSettings } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import { CONSOLE_PATH } from "../console/console-page.ts";
import { BASE_PATH } from "../core/conventions.ts";
import { extensions } from "../core/operations/extensions.ts";
import { callRecords, operations } from "../core/operations/table.ts";
import { PERMISSIONS } from "../core/principal.ts";
import { escapeControlCharacters } from "../core/records/record.ts";
import { shellWord } from "../core/values/basics.ts";
import { packageVersion } from "../files/package-files.ts";
import { type Demo, openDemo } from "../gateway/demo.ts";
import { type Gateway, startGateway } from "../gateway/gateway.ts";
import type { ServerCertificate } from "../gateway/https/https.ts";
import { openMonitorLog } from "../gateway/log/monitor-log.ts";
import { hasConsole } from "../gateway/site.ts";
import { OPENAPI_PATH } from "../openapi/document.ts";
import { PAGE_PATH } from "../openapi/page/docs-page.ts";
import type { Run } from "./framework/definition.ts";
import { commandAnywhere, NAME, terminated } from "./process.ts";
import { fixPortLine, startLine } from "./terminal/messages.ts";
import { print } from "./terminal/output.ts";

const STANDARD_OUTPUT = 1;

/** Folder of the demo, below the working directory. */
export const DEMO_FOLDER = ".demo";

const DEMO_FIX_PORT = 9880;

/** Found in the working directory, as Spring Boot finds it. */
const CONFIGURATION = "application.yaml";

/**
 * `serve`: serves the API until SIGTERM or SIGINT: with the configuration that is named, else with `application.yaml` of the
 * working directory, else the demo.
 */
export const run: Run = async ({ options: { config }, settings: commandLine }) => {
  const configFile = config?.toString() ?? (existsSync(CONFIGURATION) ? CONFIGURATION : undefined);
  const demo = configFile === undefined ? await openDemo(resolve(DEMO_FOLDER)) : undefined;
  const environment = process.env;
  const path = configFile ?? demo?.configuration ?? "";
  const { settings, file } = await loadSettings(path, { commandLine, environment });
  const log = openMonitorLog(STANDARD_OUTPUT);
  const gateway = await startGateway({
    settings,
    log,
    environment,
    ...(demo && { preferredFixPort: DEMO_FIX_PORT }),
  });
  // Whoever waits for the last of these lines may send the signal immediately.
  const termination = terminated();
  print(describeStart({ gateway, settings, file, demo }));
  await termination;
  await gateway.close();
  print("stopped\n");
};

interface Start {
  readonly gateway: Gateway;
  readonly settings: Settings;
  readonly file: string;
  readonly demo: Demo | undefined;
}

/** Lines for the operator when the gateway is ready; the last is `listening on http://ADDRESS:PORT` (or `https:`). */
export function describeStart({ gateway, settings, file, demo }: Start): string {
  const isOpen = settings["admin.api.enabled"];
  const calls = callRecords({ operations, ...(settings["admin.api.extensions"] && { extensions }) });
  const api = `${gateway.url}${BASE_PATH} (${calls.size} operations)`;
  const lines = [
    `trading-admin ${packageVersion()}`,
    startLine("API", isOpen ? api : "off: admin.api.enabled is false"),
    ...(isOpen ? [startLine("docs", `${gateway.url}${PAGE_PATH}, ${gateway.url}${OPENAPI_PATH}`)] : []),
    ...(isOpen && hasConsole(settings) ? [startLine("console", `${gateway.url}${CONSOLE_PATH}`)] : []),
    ...(gateway.certificate ? [startLine("certificate", describeCertificate(gateway.certificate))] : []),
    startLine("monitoring", `${gateway.managementUrl}/actuator/health`),
    startLine("configuration", file),
    startLine("engine", gateway.engine),
    ...gateway.fixPorts.map(fixPortLine),
    startLine("authentication", gateway.authentication.description),
    ...gateway.authentication.users.map((user) => startLine(`user ${user.name}`, describeUser(user, demo))),
    ...(demo && settings["server.ssl.client-auth"] !== "need" ? [startLine("try", curl(gateway, demo))] : []),
    ...(demo && !gateway.certificate ? commands(gateway, demo) : []),
    `listening on ${gateway.url}`,
  ];
  return `${escapeControlCharacters(lines).join("\n")}\n`;
}

function describeUser({ name, permissions }: KnownUser, demo: Demo | undefined): string {
  const all = permissions.size === PERMISSIONS.length;
  const may = all ? "may do everything" : ["may read", ...permissions].join(", ");
  return demo ? `password in ${demo.passwordFile(name)}; ${may}` : may;
}

function describeCertificate({ subject, expires }: ServerCertificate): string {
  return `${subject}, until ${expires.toISOString().slice(0, 10)}`;
}

/** Lines to paste into another shell: they name the command, gateway and user, then halt and resume. */
function commands({ url }: Gateway, demo: Demo): string[] {
  const command = commandAnywhere();
  const who = `TRADING_ADMIN_USER=operator TRADING_ADMIN_PASSWORD_FILE=${shellWord(demo.passwordFile("operator"))}`;
  return [
    "in another shell:",
    // A function, as an alias is not found in scripts.
    ...(command === NAME ? [] : [`${NAME}() { ${command} "$@"; }`]),
    `export TRADING_ADMIN_URL=${url} ${who}`,
    "",
    `${NAME} halt --reason drill`,
    `${NAME} resume --reason 'drill is over'`,
    "",
  ];
}

/** A line to paste into a shell. The password stays in its file: this output may end up in a log. */
function curl(gateway: Gateway, demo: Demo): string {
  // Neither issuer nor name is compared: this gateway has its key.
  const pin = gateway.certificate ? `-k --pinnedpubkey 'sha256//${gateway.certificate.publicKeyPin}' ` : "";
  return `curl ${pin}-u "operator:$(cat ${shellWord(demo.passwordFile("operator"))})" ${gateway.url}${BASE_PATH}/trading/status`;
}
