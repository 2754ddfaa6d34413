/**
 * The way to an engine over WebSocket: the gateway's end and the engine's end.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */

export { EngineClock } from "./link/engine-clock.ts";
export { type EngineInstance, EngineWatch } from "./link/engine-watch.ts";
export type { BackoffOptions, LinkEvent } from "./link/link.ts";
export { SeparateLanes } from "./link/separate-lanes.ts";
export { openWebSocketBus } from "./websocket/bus.ts";
export type {
  WebSocketBus,
  WebSocketBusOptions,
  WebSocketBusTls,
  WebSocketTransportOptions,
  WebSocketTransportTls,
} from "./websocket/options.ts";
export { WebSocketTransport } from "./websocket/transport.ts";
