import { type BusOutput, busMethods } from "../../core/operations/table.ts";
import { projectionKeys } from "../../core/values/projection.ts";
import { packageVersion } from "../../files/package-files.ts";
import type { Installation } from "./installation-schema.ts";

/** What a simulated engine says of itself. */
export function describeInstallation(installation: Installation): BusOutput<"describeEngine"> {
  const keys = [...projectionKeys(installation["projection-keys"])];
  const { risk, positions, gateways } = installation;
  return {
    name: "Simulated engine",
    version: packageVersion(),
    operations: [...busMethods],
    haltKeys: keys,
    projectionKeys: keys,
    positionProjections: [...positions.projections],
    riskTables: Object.entries(risk.tables).map(([projection, { limits }]) => ({ projection, limits: [...limits] })),
    gatewayTypes: [...new Set(Object.values(gateways).map(({ type }) => type))],
    counts: { connections: true, messages: true, bytes: true },
  };
}
