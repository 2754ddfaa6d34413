export type { LinkEvent } from "./link-event.ts";
export { type NatsBus, type NatsBusOptions, openNatsBus } from "./nats/bus.ts";
export type { NatsConnectionOptions } from "./nats/connection-options.ts";
export { NatsTransport, type NatsTransportOptions } from "./nats/transport.ts";
