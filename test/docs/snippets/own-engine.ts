// #region imports
import { AdminApi, type AuditSink } from "trading-admin-api";
import { type Engine, EngineRejection, serveEngine } from "trading-admin-api/engine";
import { InProcessBus } from "trading-admin-api/transports/in-process";

// #endregion

// #region rest
/** What an engine does not do is refused, and nothing is changed. */
export function refusingTheRest(part: Partial<Engine>): Engine {
  const refuse = (name: string) => () => {
    throw new EngineRejection("rejected", `This engine does not support ${name}`);
  };
  return new Proxy(part, {
    get: (_, name) => part[name as keyof Engine]?.bind(part) ?? refuse(String(name)),
  }) as Engine;
}
// #endregion

/** The API on an engine in the same process. */
export async function openApi(engine: Engine, audit: AuditSink): Promise<AdminApi> {
  // #region in-process
  const bus = new InProcessBus();
  await serveEngine(engine, bus);
  const api = new AdminApi({ transport: bus, audit });
  await api.start();
  // #endregion
  return api;
}
