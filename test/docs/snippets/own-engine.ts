// #region imports
import { AdminApi, type AuditSink } from "trading-admin-api";
import { type Engine, serveEngine } from "trading-admin-api/engine";
import { InProcessBus } from "trading-admin-api/transports/in-process";

// #endregion

/** The API on an engine in the same process. */
export async function openApi(engine: Partial<Engine>, audit: AuditSink): Promise<AdminApi> {
  // #region in-process
  const bus = new InProcessBus();
  await serveEngine(engine, bus);
  const api = new AdminApi({ transport: bus, audit });
  await api.start();
  // #endregion
  return api;
}
