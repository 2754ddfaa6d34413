/** Name of the bus contract and its major version: the WebSocket subprotocol and the prefix of NATS subjects. */
export const CONTRACT_NAME = "trading-admin.v1";

/** Version of the bus contract (docs/engine/bus.md, "Versions"); its first number is the one in {@link CONTRACT_NAME}. */
export const CONTRACT_VERSION = "1.1.0";

/** Notification by which an engine says whether it takes more requests. */
export const ENGINE_STATUS = "engine.status";
