import { loadSettings } from "../../config/load.ts";
import { operationNames, operationRecord, operations } from "../../core/operations/table.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";
import type { Run } from "../command/definition.ts";
import type { Column, Row } from "../output/columns.ts";
import { formatOf } from "../output/format.ts";
import { type Printed, printRows } from "../output/print.ts";
import { say, warn } from "../terminal/say.ts";
import { type Grant, type Grants, readGrants } from "./grants.ts";

/** Titles of the permissions in a table of 80 columns; everywhere else they have their names. */
const TITLES: Readonly<Record<Permission, string>> = {
  HALT_RESUME_TRADING: "trading",
  CHANGE_RISK_LIMITS: "limits",
  POSITION_ADJUSTMENT: "positions",
  ENABLE_DISABLE_SERVICE: "services",
  CONTROL_FIX_SESSION: "fix",
};

/** `permissions`: who may do what, from where the configuration says that it is kept. */
export const run: Run = async ({ options, settings: commandLine }) => {
  const format = formatOf(options);
  const { settings } = await loadSettings(String(options.config), { commandLine, environment: process.env });
  const grants = await readGrants(settings, process.env);
  for (const warning of grants.warnings) warn(warning);
  await printRows(
    report(grants, (permission) => (format === "table" ? TITLES[permission] : permission)),
    format,
  );
  if (format === "table") say(LEGEND);
};

const LEGEND = `All of them may read. ${PERMISSIONS.map((name) => `${TITLES[name].toUpperCase()}: ${name}`).join(", ")}`;

function report({ of, grants }: Grants, titleOf: (permission: Permission) => string): Printed {
  const columns: Column[] = [
    { name: of, kind: "text" },
    ...PERMISSIONS.map((permission): Column => ({ name: titleOf(permission), kind: "boolean" })),
    ...(of === "user" ? [{ name: "canLogIn", kind: "boolean" } as const] : []),
  ];
  const rows = grants.map(({ name, permissions, canLogIn }): Row => {
    const granted = PERMISSIONS.map((permission) => [titleOf(permission), permissions.has(permission)]);
    return { [of]: name, ...Object.fromEntries(granted), ...(of === "user" && { canLogIn }) };
  });
  return { value: grants.map((grant) => described(of, grant)), rows, columns };
}

/** What JSON says of a user: which operations the permissions allow, reads included, comes from the operation table. */
function described(of: Grants["of"], { name, permissions, canLogIn }: Grant): Row {
  const allowed = operationNames.filter((operation) => {
    const { permission } = operationRecord(operations, operation);
    return permission === null || permissions.has(permission);
  });
  return { [of]: name, permissions: [...permissions], operations: allowed, ...(of === "user" && { canLogIn }) };
}
