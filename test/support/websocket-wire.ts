import type { InProcessBusOptions } from "../../transports/in-process.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { until } from "./until.ts";
import type { Wire } from "./wires.ts";

const LOOPBACK = "127.0.0.1";

/** A WebSocket on a free port of the loopback address. */
export async function open({ capacity, stopReserve }: InProcessBusOptions): Promise<Wire> {
  const limits = {
    ...(capacity !== undefined && { maxInFlight: capacity }),
    ...(stopReserve !== undefined && { stopReserve }),
  };
  let bus = await openWebSocketBus({ host: LOOPBACK, port: 0, ...limits });
  let open = true;
  const port = Number(new URL(bus.url).port);
  const transport = new WebSocketTransport({ url: bus.url, reconnect: { initialMs: 1, maxMs: 10 } });
  return {
    transport,
    attach: async (handler) => {
      if (!open) bus = await openWebSocketBus({ host: LOOPBACK, port, ...limits });
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
