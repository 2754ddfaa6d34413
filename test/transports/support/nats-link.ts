import {
  type NatsBus,
  type NatsBusOptions,
  NatsTransport,
  type NatsTransportOptions,
  openNatsBus,
} from "../../../transports/nats.ts";
import { type NatsServer, type NatsServerOptions, startNatsServer } from "../../support/nats-server.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";
import { Opened } from "./link.ts";

/** Servers and ends of NATS buses that a test opens. */
export class OpenedNats extends Opened {
  async server(options: NatsServerOptions = {}): Promise<NatsServer> {
    return this.add(await startNatsServer(options), (server) => server.stop());
  }

  async proxy(server: NatsServer): Promise<TcpProxy> {
    return this.add(await startTcpProxy(server.port), (proxy) => proxy.close());
  }

  async bus(options: NatsBusOptions): Promise<NatsBus> {
    return this.add(await openNatsBus({ closeTimeoutMs: 0, ...options }), (bus) => bus.close());
  }

  /** A gateway's end that has begun to connect. */
  async transport(options: NatsTransportOptions): Promise<NatsTransport> {
    const transport = this.add(new NatsTransport(options), (it) => it.close());
    await transport.start();
    return transport;
  }

  /** A gateway's end that has connected. */
  async connected(options: NatsTransportOptions): Promise<NatsTransport> {
    const transport = await this.transport(options);
    await until(() => transport.state === "up", "the link is up");
    return transport;
  }
}
