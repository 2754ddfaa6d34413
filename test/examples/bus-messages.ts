import { once } from "node:events";
import type { WebSocket } from "ws";

/** A message to an engine's end of the bus, and what its reply has: the id, and the code of the error, or a result. */
export interface BusMessage {
  readonly text: string | Buffer;
  readonly id: unknown;
  readonly code: number | "result";
}

/** A request in the envelope of the bus (`docs/engine/bus.md`). */
export function request(id: unknown, method: string, input: unknown, context: object = {}): string {
  const given = { user: "operator", requestId: "r-1", deadline: Date.now() + 60_000, ...context };
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { input, context: given } });
}

/** Messages that an engine in any language has to refuse, each in its way, and at last one that is in order. */
export function faultyMessages(service: string): readonly BusMessage[] {
  return [
    { text: "{", id: null, code: -32700 },
    { text: "[]", id: null, code: -32600 },
    { text: Buffer.from("{}"), id: null, code: -32600 },
    { text: JSON.stringify({ jsonrpc: "2.0", method: "listServices", params: {} }), id: null, code: -32600 },
    { text: request(4, "stopEverything", {}), id: 4, code: -32601 },
    { text: JSON.stringify({ jsonrpc: "2.0", id: 5, method: "listServices", params: [] }), id: 5, code: -32602 },
    { text: request(6, "listServices", {}, { deadline: "soon" }), id: 6, code: -32602 },
    { text: request(7, "getService", { name: service, mistyped: true }), id: 7, code: -32602 },
    { text: request(8, "getService", {}), id: 8, code: -32602 },
    { text: request(9, "adjustPosition", { projectionPath: "", size: 1, relative: false }), id: 9, code: -32602 },
    { text: request("text", "getService", { name: service }), id: "text", code: "result" },
  ];
}

/** HTTP status by which an upgrade is refused. */
export async function refusedWith(socket: WebSocket): Promise<number | undefined> {
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode?: number }];
  socket.terminate();
  return response.statusCode;
}
