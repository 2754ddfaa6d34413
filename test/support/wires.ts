import { type Clock, systemClock } from "../../src/core/clock.ts";
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

/** What a wire is opened with. */
export interface WireOptions {
  /** How many requests the engine's end holds; as much as it does by default unless given. */
  readonly limits: { readonly maxInFlight?: number; readonly stopReserve?: number };
  /** What both ends tell the time by: that of the world, or ages by one clock would be compared with times by another. */
  readonly clock: Clock;
}

/** Opens a wire whose engine holds at most as many requests as an in-process bus with these limits, in a world with this clock. */
export async function openWire(
  name: WireName,
  { capacity, stopReserve }: InProcessBusOptions,
  world: Required<Pick<Clock, "now" | "monotonic">>,
): Promise<Wire> {
  const { open } = name === "websocket" ? await import("./websocket-wire.ts") : await import("./nats-wire.ts");
  const limits = {
    ...(capacity !== undefined && { maxInFlight: capacity }),
    ...(stopReserve !== undefined && { stopReserve }),
  };
  // Sockets need the machine's time, also while the world's is frozen.
  const clock = { ...systemClock, now: () => world.now(), monotonic: () => world.monotonic() };
  return open({ limits, clock });
}
