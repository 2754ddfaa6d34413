import type { EngineRefusal } from "../../src/core/engine/transport.ts";

/** Name of the bus contract and its major version: the WebSocket subprotocol and the prefix of NATS subjects. */
export const CONTRACT_NAME = "trading-admin.v1";

/** Version of the bus contract (docs/engine/bus.md, "Versions"); its first number is the one in {@link CONTRACT_NAME}. */
export const CONTRACT_VERSION = "1.2.0";

/** Notification from an engine on whether it accepts more requests. */
export const ENGINE_STATUS = "engine.status";

/** Header of an engine's response to the request to connect (WebSocket): names its process, so that a restart is noticed. */
export const ENGINE_ID_HEADER = "Trading-Admin-Engine-Id";

/** JSON-RPC error codes of an engine's refusals (docs/engine/bus.md, "Errors"). */
export const REFUSAL_CODES: Readonly<Record<EngineRefusal, number>> = {
  rejected: -32001,
  "not-found": -32002,
  unsupported: -32601,
  overloaded: -32003,
  unavailable: -32004,
  "stop-came-first": -32005,
  "not-understood": -32602,
  internal: -32603,
};

/** Codes for messages that are not requests (JSON-RPC 2.0, section 5.1); nothing can have been begun. */
export const MESSAGE_FAULT_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: REFUSAL_CODES["not-understood"],
} as const;

const REFUSALS: ReadonlyMap<number, EngineRefusal> = new Map([
  ...Object.values(MESSAGE_FAULT_CODES).map((code) => [code, "not-understood"] as const),
  ...Object.entries(REFUSAL_CODES).map(([refusal, code]) => [code, refusal as EngineRefusal] as const),
]);

/** Maps an error code to a refusal. An unknown code leaves the outcome open: `internal`. */
export function refusalOf(code: number): EngineRefusal {
  return REFUSALS.get(code) ?? "internal";
}
