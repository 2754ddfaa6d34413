import { ProjectionSyntaxError, parseProjection, projectionKeys, SYMBOL_KEYS } from "../../core/values/projection.ts";
import type { Installation } from "./installation-schema.ts";
import { LIMIT_NAMES, limitDefinition } from "./limits.ts";
import { keySet } from "./node.ts";

/** One thing wrong with an installation document, and where. */
export interface InstallationFault {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

type Report = (path: readonly PropertyKey[], reason: string) => void;
type Table = Installation["risk"]["tables"][string];

/** Checks the parts of an installation against each other; the schema has checked each by itself. */
export function installationFaults(installation: Installation): InstallationFault[] {
  const faults: InstallationFault[] = [];
  const report: Report = (path, reason) => faults.push({ path, reason });
  checkPositions(installation, report);
  checkTables(installation, report);
  checkServiceNames(installation, report);
  for (const [name, { sessions }] of Object.entries(installation.gateways)) {
    reportRepeated(
      sessions.map(({ id }) => id),
      (index) => report(["gateways", name, "sessions", index, "id"], "is the id of another session of this gateway"),
    );
  }
  return faults;
}

function checkPositions(installation: Installation, report: Report): void {
  const { projections } = installation.positions;
  const keys = projections.map((text, index) =>
    readKeys(installation, text, (reason) => report(["positions", "projections", index], reason)),
  );
  for (const [index, held] of keys.entries()) {
    if (held && !holdsSymbol(held)) {
      report(["positions", "projections", index], `must hold ${SYMBOL_KEYS.join(" or ")}`);
    }
  }
  reportRepeated(
    keys.map((held) => held && keySet(held)),
    (index) => report(["positions", "projections", index], "names the same keys as another projection"),
  );
}

function checkTables(installation: Installation, report: Report): void {
  const tables = Object.entries(installation.risk.tables);
  const keys = tables.map(([projection, table]) => {
    const at = ["risk", "tables", projection];
    const held = readKeys(installation, projection, (reason) => report(at, reason));
    if (held) checkTable(table, held, (path, reason) => report([...at, ...path], reason));
    return held && keySet(held);
  });
  reportRepeated(keys, (index) =>
    report(["risk", "tables", tables[index]?.[0] ?? ""], "names the same keys as another table"),
  );
}

function checkTable(table: Table, keys: readonly string[], report: Report): void {
  for (const [index, name] of table.limits.entries()) {
    const limit = limitDefinition(name);
    if (!limit) report(["limits", index], `the simulated engine enforces only ${LIMIT_NAMES.join(", ")}`);
    else if (limit.needsPosition && !holdsSymbol(keys)) {
      report(["limits", index], `${name} needs a table whose projection holds ${SYMBOL_KEYS.join(" or ")}`);
    }
  }
  reportRepeated(table.limits, (index) => report(["limits", index], "is given twice"));
  checkRows(table, keys, report);
}

function checkRows({ rows, limits: columns }: Table, keys: readonly string[], report: Report): void {
  for (const [index, { conditions, limits }] of rows.entries()) {
    for (const key of Object.keys(conditions).filter((key) => !keys.includes(key))) {
      report(["rows", index, "conditions", key], "is not a key of the table's projection");
    }
    for (const key of keys.filter((key) => !Object.hasOwn(conditions, key))) {
      report(["rows", index, "conditions"], `${key} is missing`);
    }
    for (const name of Object.keys(limits).filter((name) => !columns.includes(name))) {
      report(["rows", index, "limits", name], "is not among the limits of the table");
    }
  }
  reportRepeated(
    rows.map(({ conditions }) => JSON.stringify(keys.map((key) => conditions[key]))),
    (index) => report(["rows", index], "has the conditions of another row"),
  );
}

function checkServiceNames({ connectors, algorithms }: Installation, report: Report): void {
  for (const name of Object.keys(algorithms).filter((name) => Object.hasOwn(connectors, name))) {
    report(["algorithms", name], "is the name of a connector");
  }
}

function readKeys(
  installation: Installation,
  projection: string,
  report: (reason: string) => void,
): string[] | undefined {
  try {
    return parseProjection(projection, projectionKeys(installation["projection-keys"]));
  } catch (error) {
    if (!(error instanceof ProjectionSyntaxError)) throw error;
    report(error.message);
    return undefined;
  }
}

function holdsSymbol(keys: readonly string[]): boolean {
  return SYMBOL_KEYS.some((key) => keys.includes(key));
}

function reportRepeated(texts: readonly (string | undefined)[], report: (index: number) => void): void {
  for (const [index, text] of texts.entries()) {
    if (text !== undefined && texts.indexOf(text) < index) report(index);
  }
}
