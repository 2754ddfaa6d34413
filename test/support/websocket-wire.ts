import { EngineClock } from "../../transports/link/engine-clock.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { until } from "./until.ts";
import type { Wire, WireOptions } from "./wires.ts";

const LOOPBACK = "127.0.0.1";

/** A WebSocket on a free port of the loopback address. */
export async function open({ limits, clock }: WireOptions): Promise<Wire> {
  const busOptions = { host: LOOPBACK, clock, ...limits };
  let bus = await openWebSocketBus({ ...busOptions, port: 0 });
  let open = true;
  const port = Number(new URL(bus.url).port);
  const engineClock = new EngineClock(() => {}, clock);
  const transport = new WebSocketTransport({ url: bus.url, engineClock, reconnect: { initialMs: 1, maxMs: 10 } });
  return {
    transport,
    attach: async (handler) => {
      if (!open) bus = await openWebSocketBus({ ...busOptions, port });
      open = true;
      await bus.listen(handler);
    },
    detach: async () => {
      open = false;
      await bus.close();
      await until(() => transport.state === "down", "the link is down");
    },
    close: async () => {
      await transport.close();
      await bus.close();
    },
  };
}
