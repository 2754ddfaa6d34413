import type { EngineTransport } from "../../src/core/engine/transport.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import type { InProcessBusOptions } from "../../transports/in-process.ts";

/** A transport that crosses a process. */
export type WireName = "websocket" | "nats";

/** Both ends of a wire; the engine's end comes and goes. */
export interface Wire {
  readonly transport: EngineTransport;
  /** Puts an engine on the wire. */
  attach(handler: EngineHandler): Promise<void>;
  /** Takes it away; resolves when the gateway's end knows. */
  detach(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a wire whose engine holds at most as many requests as an in-process bus with these limits. */
export async function openWire(name: WireName, limits: InProcessBusOptions): Promise<Wire> {
  const { open } = name === "websocket" ? await import("./websocket-wire.ts") : await import("./nats-wire.ts");
  return open(limits);
}
