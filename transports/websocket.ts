export { EngineClock } from "./link/engine-clock.ts";
export type { LinkEvent } from "./link/link-event.ts";
export { SeparateLanes } from "./link/separate-lanes.ts";
export { openWebSocketBus } from "./websocket/bus.ts";
export type { WebSocketBus, WebSocketBusOptions, WebSocketBusTls } from "./websocket/bus-options.ts";
export { WebSocketTransport } from "./websocket/transport.ts";
export type { WebSocketTransportOptions, WebSocketTransportTls } from "./websocket/transport-options.ts";
