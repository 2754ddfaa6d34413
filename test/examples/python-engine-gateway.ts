import type { EngineReply, EngineTransport } from "../../src/core/engine/transport.ts";
import { type OperationName, operationRecord, operations } from "../../src/core/operations/table.ts";
import { WebSocketTransport, type WebSocketTransportOptions } from "../../transports/websocket.ts";

const TIMEOUT_MS = 20_000;

/** Dials an engine and waits until the link is up. */
export async function dial(options: WebSocketTransportOptions): Promise<WebSocketTransport> {
  const transport = new WebSocketTransport(options);
  await transport.start();
  const deadline = Date.now() + TIMEOUT_MS;
  while (transport.state !== "up") {
    if (Date.now() > deadline) throw new Error(`no link to ${options.url}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return transport;
}

/** Sends one request as a gateway does; `deadline` is in epoch milliseconds. */
export async function ask(
  transport: EngineTransport,
  method: OperationName,
  input: unknown,
  deadline = Date.now() + TIMEOUT_MS,
): Promise<EngineReply> {
  const { lane } = operationRecord(operations, method);
  return transport.exchange({ method, input, lane, context: { user: "operator", requestId: "t-1", deadline } }).reply;
}
