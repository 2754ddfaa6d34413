// #region imports
import { DEMO_LANDMARKS, type EngineFixture, engineConformance } from "trading-admin-api/testing";
import { WebSocketTransport } from "trading-admin-api/transports/websocket";

// #endregion

// #region engine
/** A link to the engine that is to be judged. */
async function open(): Promise<EngineFixture> {
  const transport = new WebSocketTransport({ url: "ws://127.0.0.1:8989" });
  await transport.start();
  while (transport.state !== "up") await new Promise((resolve) => setTimeout(resolve, 10));
  return { transport, close: () => transport.close() };
}

export const cases = engineConformance(open, DEMO_LANDMARKS);
// #endregion
