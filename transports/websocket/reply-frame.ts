import { isUtf8 } from "node:buffer";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import { isObject } from "../../src/core/values/basics.ts";
import { ENGINE_STATUS } from "../json-rpc/contract.ts";
import { parseReply } from "../json-rpc/parse-reply.ts";
import { decodeReply } from "../json-rpc/replies.ts";
import { BeyondBounds, type ReplyScan } from "../json-rpc/reply-scan.ts";
import { salvageId, salvageIdOfLong } from "../json-rpc/requests.ts";

/** A parsed frame from the engine. */
export type FrameFromEngine = ReplyFrame | { readonly kind: "status"; readonly overloaded: boolean } | FrameFault;

export interface ReplyFrame {
  readonly kind: "reply";
  readonly id: number;
  readonly reply: EngineReply;
}

/** A frame that violates the contract; `id` is that of its request, if known. */
export interface FrameFault {
  readonly kind: "fault";
  readonly id: unknown;
  readonly message: string;
  readonly cause?: unknown;
}

/** Parses a frame from the engine that has been looked through. Without zod, for speed: it runs for every reply. */
export function readFrameFromEngine(
  scan: ReplyScan,
  isBinary: boolean,
  { maxMessageBytes, gate }: { readonly maxMessageBytes: number; readonly gate: Gate | undefined },
): FrameFromEngine {
  const { message: frame } = scan;
  const broken = faultOfFrame(frame, isBinary, maxMessageBytes);
  if (broken) return broken;
  let message: unknown;
  try {
    message = parseReply(scan, gate);
  } catch (cause) {
    if (cause instanceof BeyondBounds) return fault(salvageIdOfLong(frame), `a message that ${cause.message}`, cause);
    return fault(salvageId(frame), "a message that is not JSON", cause);
  }
  return readMessage(message);
}

function faultOfFrame(frame: Buffer, isBinary: boolean, maxBytes: number): FrameFault | undefined {
  if (isBinary) return fault(undefined, "a binary frame; the contract has text frames only");
  if (frame.length > maxBytes) {
    return fault(salvageIdOfLong(frame), `a message of ${frame.length} bytes; at most ${maxBytes} are read`);
  }
  return isUtf8(frame) ? undefined : fault(salvageId(frame), "a message that is not UTF-8");
}

function readMessage(message: unknown): FrameFromEngine {
  if (!isObject(message)) return fault(undefined, "a message that is not a JSON object");
  const { jsonrpc, id, method } = message;
  if (jsonrpc !== "2.0") return fault(id, "a message that is not JSON-RPC 2.0");
  if (method !== undefined) return readNotification(message);
  const reply = decodeReply(message);
  if (reply && typeof id === "number") return { kind: "reply", id, reply };
  if (reply && id === null) return fault(undefined, complaint(reply));
  return fault(id, "a reply with neither or both of result and error, or without a numeric id");
}

function readNotification({ id, method, params }: Record<string, unknown>): FrameFromEngine {
  const { overloaded } = Object(params) as { overloaded?: unknown };
  if (id === undefined && method === ENGINE_STATUS && typeof overloaded === "boolean") {
    return { kind: "status", overloaded };
  }
  return fault(undefined, `${id === undefined ? "a notification" : "a request"} that the contract does not have`);
}

/** The engine sends a reply without an id for a message that it could not read. */
function complaint(reply: EngineReply): string {
  return reply.ok ? "a result without an id" : `an error without an id: ${JSON.stringify(reply.message.slice(0, 200))}`;
}

function fault(id: unknown, message: string, cause?: unknown): FrameFault {
  return { kind: "fault", id, message, cause };
}
