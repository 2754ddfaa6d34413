import {
  openWebSocketBus,
  type WebSocketBus,
  type WebSocketBusOptions,
  WebSocketTransport,
  type WebSocketTransportOptions,
} from "../../../transports/websocket.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";
import { Opened } from "./link.ts";

const LOOPBACK = "127.0.0.1";

/** Reconnects fast enough for tests. */
const RECONNECT = { initialMs: 5, maxMs: 20 };

/** Ends of WebSockets that a test opens. */
export class OpenedWebSockets extends Opened {
  async bus(options: Partial<WebSocketBusOptions> = {}): Promise<WebSocketBus> {
    return this.add(await openWebSocketBus({ host: LOOPBACK, port: 0, ...options }), (bus) => bus.close());
  }

  /** A proxy to the engine's end. */
  async proxy(bus: WebSocketBus): Promise<TcpProxy> {
    return this.add(await startTcpProxy(Number(new URL(bus.url).port)), (proxy) => proxy.close());
  }

  /** A gateway's end that has begun to connect. */
  async transport(options: WebSocketTransportOptions): Promise<WebSocketTransport> {
    const transport = new WebSocketTransport({ reconnect: RECONNECT, ...options });
    await transport.start();
    return this.add(transport, () => transport.close());
  }

  /** A gateway's end that has connected. */
  async connected(options: WebSocketTransportOptions): Promise<WebSocketTransport> {
    const transport = await this.transport(options);
    await until(() => transport.state === "up", "the link is up");
    return transport;
  }
}

/** Where gateways find the engine behind a proxy. */
export function proxyUrl({ port }: TcpProxy): string {
  return `ws://${LOOPBACK}:${port}`;
}
