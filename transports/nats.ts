export { EngineClock } from "./link/engine-clock.ts";
export type { LinkEvent } from "./link/link-event.ts";
export { SeparateLanes } from "./link/separate-lanes.ts";
export { openNatsBus } from "./nats/bus.ts";
export type { NatsBus, NatsBusOptions } from "./nats/bus-options.ts";
export type { NatsConnectionOptions } from "./nats/connection-options.ts";
export { NatsTransport, type NatsTransportOptions } from "./nats/transport.ts";
