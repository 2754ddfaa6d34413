// #region bus
import type { MessagePort } from "node:worker_threads";
import type { EngineBus } from "trading-admin-api/engine";
import type { EngineRequest } from "trading-admin-api/extend";

/** The engine's end of a `MessagePort`. */
export function workerBus(port: MessagePort): EngineBus {
  return {
    listen(handler) {
      port.on("message", async ({ id, request }: { id: number; request: EngineRequest }) => {
        const arrivedAt = performance.now();
        const reply = await handler({ ...request, age: () => performance.now() - arrivedAt });
        port.postMessage({ id, reply });
      });
    },
  };
}
// #endregion
