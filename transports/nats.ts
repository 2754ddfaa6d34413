/**
 * The way to an engine over NATS: the gateway's end and the engine's end.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export { EngineClock } from "./link/engine-clock.ts";
export { type EngineInstance, EngineWatch } from "./link/engine-watch.ts";
export type { LinkEvent } from "./link/link.ts";
export { SeparateLanes } from "./link/separate-lanes.ts";
export { openNatsBus } from "./nats/bus.ts";
export type { NatsBus, NatsBusOptions, NatsConnectionOptions, NatsTls } from "./nats/options.ts";
export { NatsTransport, type NatsTransportOptions } from "./nats/transport.ts";
