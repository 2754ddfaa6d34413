import { projectionKeys } from "../../src/core/values/projection.ts";
import type { Installation } from "../../src/engine/simulated/installation.ts";

/** The facts of an installation that the engine of `examples/python-engine` needs, as its data file holds them. */
export function exampleInstallation(installation: Installation): unknown {
  const { connectors, algorithms, gateways } = installation;
  return {
    projectionKeys: [...projectionKeys(installation["projection-keys"])],
    riskTables: installation.risk.tables,
    positionProjections: installation.positions.projections,
    services: [
      ...Object.entries(connectors).map(([name, connector]) => ({ name, system: false, ...connector })),
      ...Object.entries(algorithms).map(([name, algorithm]) => ({ name, ...algorithm, status: null })),
    ],
    gateways: Object.entries(gateways).map(([name, gateway]) => ({
      name,
      type: gateway.type,
      localIp: gateway["local-ip"],
      localPort: gateway["local-port"] ?? null,
      sessions: gateway.sessions.map(({ "remote-ip": remoteIp, "remote-port": remotePort = null, ...session }) => {
        return { ...session, remoteIp, remotePort };
      }),
    })),
  };
}
