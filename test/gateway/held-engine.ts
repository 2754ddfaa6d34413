import { systemClock } from "../../src/core/clock.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { EngineGate } from "../../src/testing/engine-gate.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { openWebSocketBus } from "../../transports/websocket.ts";

/** An engine in another place, as a gateway sees it, that a test can hold. */
export interface HeldEngine {
  /** Lines for `application.yaml` that lead to it. */
  readonly settings: string;
  readonly gate: EngineGate;
  close(): Promise<void>;
}

/** Starts a simulated engine on a WebSocket of the loopback address; its order flow is paused, its clock is so far ahead. */
export async function startHeldEngine(port = 0, aheadMs = 0): Promise<HeldEngine> {
  const ahead = { ...systemClock, now: () => Date.now() + aheadMs };
  const bus = await openWebSocketBus({ host: "127.0.0.1", port, clock: ahead });
  const gate = new EngineGate(bus);
  const clock = new ManualClock();
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation()), { clock }), gate, ahead);
  const settings = `admin.engine.transport: websocket\nadmin.engine.url: ${bus.url}\n`;
  return { settings, gate, close: () => bus.close() };
}
