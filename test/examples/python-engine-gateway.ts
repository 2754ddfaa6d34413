import type { EngineReply, EngineTransport } from "../../src/core/engine/transport.ts";
import { type BusMethod, busRecord, operations } from "../../src/core/operations/table.ts";
import { WebSocketTransport, type WebSocketTransportOptions } from "../../transports/websocket.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 60_000;

/** Dials an engine and waits until the link is up. */
export async function dial(options: WebSocketTransportOptions): Promise<WebSocketTransport> {
  const transport = new WebSocketTransport(options);
  await transport.start();
  await until(() => transport.state === "up", `a link to ${options.url}`);
  return transport;
}

/** Sends one request as a gateway does; `deadline` is in epoch milliseconds. */
export async function ask(
  transport: EngineTransport,
  method: BusMethod,
  input: unknown,
  deadline = Date.now() + TIMEOUT_MS,
): Promise<EngineReply> {
  const { lane } = busRecord(operations, method);
  return transport.exchange({ method, input, lane, context: { user: "operator", requestId: "t-1", deadline } }).reply;
}
