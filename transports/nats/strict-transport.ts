import {
  type ConnectionOptions,
  type NatsConnection,
  NatsConnectionImpl,
  setTransportFactory,
} from "@nats-io/transport-node";
import { NodeTransport, nodeResolveHost } from "@nats-io/transport-node/lib/node_transport.js";

/**
 * Connects as `connect` of the client does, but what the server says before TLS ends with the line of its INFO. The client (3.3.1) keeps
 * what stands behind it and reads it as if it had come through TLS, though anyone on the way may have written it.
 */
export function connectStrictly(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new StrictTransport(), dnsResolveFn: nodeResolveHost });
  return NatsConnectionImpl.connect(options);
}

class StrictTransport extends NodeTransport {
  override startTLS(): ReturnType<NodeTransport["startTLS"]> {
    const received = Buffer.concat(this.yields);
    const extra = received.length - (received.indexOf("\r\n") + 2);
    if (extra === 0) return super.startTLS();
    const reason = `its greeting is followed by ${extra} bytes in plain text, which somebody on the way may have added`;
    return Promise.reject(new Error(reason));
  }
}
