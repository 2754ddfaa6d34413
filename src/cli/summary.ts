import type { KnownUser } from "../auth/simple.ts";
import type { Settings } from "../config/settings.ts";
import { operationNames } from "../core/operations.ts";
import type { Demo } from "../gateway/demo.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { packageVersion } from "../package-files.ts";

interface Start {
  readonly gateway: Gateway;
  readonly settings: Settings;
  /** Path of the configuration file. */
  readonly file: string;
  readonly demo: Demo | undefined;
}

/** What the gateway tells the operator when it is ready; the last line is `listening on http://ADDRESS:PORT`. */
export function describeStart({ gateway, settings, file, demo }: Start): string {
  const api = settings["admin.api.enabled"]
    ? `${gateway.url}/api/admin/v1 (${operationNames.length} operations)`
    : "off: admin.api.enabled is false";
  const lines = [
    `trading-admin ${packageVersion()}`,
    line("API", api),
    line("configuration", file),
    line("engine", gateway.engine),
    line("authentication", gateway.authentication.description),
    ...gateway.authentication.users.map((user) => line(`user ${user.name}`, describeUser(user, demo))),
    ...(demo ? [line("try", curl(gateway, demo))] : []),
    `listening on ${gateway.url}`,
  ];
  return `${lines.join("\n")}\n`;
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(16)}${text}`;
}

function describeUser({ name, permissions }: KnownUser, demo: Demo | undefined): string {
  const may = permissions.size > 0 ? `may read, ${[...permissions].join(", ")}` : "may read";
  return demo ? `password in ${demo.passwordFile(name)}; ${may}` : may;
}

/** A line to paste into a shell. The password stays in its file: this output may end up in a log. */
function curl(gateway: Gateway, demo: Demo): string {
  const file = `'${demo.passwordFile("operator").replaceAll("'", "'\\''")}'`;
  return `curl -u "operator:$(cat ${file})" ${gateway.url}/api/admin/v1/trading/status`;
}
