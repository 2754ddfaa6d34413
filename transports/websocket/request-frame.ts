import { isUtf8 } from "node:buffer";
import type { EngineRequest } from "../../src/core/engine/transport.ts";
import { MESSAGE_FAULT_CODES } from "../json-rpc/contract.ts";
import { faultBody, type ReplyBody, replyBody } from "../json-rpc/replies.ts";
import {
  decodeParams,
  MessageFault,
  type MessageId,
  parseMessage,
  readRequest,
  salvageId,
  salvageIdOfLong,
} from "../json-rpc/requests.ts";

export interface RequestFrame {
  readonly kind: "request";
  readonly id: MessageId;
  readonly request: EngineRequest;
}

/** A parsed frame from a gateway. Faults get a reply, notifications never (JSON-RPC 2.0, section 4.1). */
export type FrameFromGateway =
  | RequestFrame
  | { readonly kind: "fault"; readonly id: MessageId | null; readonly body: ReplyBody; readonly message: string }
  | { readonly kind: "notification"; readonly message: string };

export function readFrameFromGateway(frame: Buffer, isBinary: boolean, maxBytes: number): FrameFromGateway {
  if (!isBinary && frame.length > maxBytes) return tooLong(frame, maxBytes);
  try {
    return readMessage(parseMessage(textOf(frame, isBinary)));
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    return fault(isBinary ? null : (salvageId(frame) ?? null), error);
  }
}

function readMessage(message: unknown): FrameFromGateway {
  if (isNotification(message)) return { kind: "notification", message: "a notification; none is for engines" };
  const { id, method, params } = readRequest(message);
  try {
    return { kind: "request", id, request: decodeParams(method, params) };
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    return fault(id, error);
  }
}

function textOf(frame: Buffer, isBinary: boolean): string {
  if (isBinary) throw new MessageFault(MESSAGE_FAULT_CODES.invalidRequest, "Binary frames are not read, only text");
  if (!isUtf8(frame)) throw new MessageFault(MESSAGE_FAULT_CODES.parseError, "The message is not UTF-8");
  return frame.toString();
}

/** The request was not started, so the reply can state that nothing was changed. */
function tooLong(frame: Buffer, maxBytes: number): FrameFromGateway {
  const message = `The request is ${frame.length} bytes long; this engine reads at most ${maxBytes}`;
  const body = replyBody({ ok: false, refusal: "rejected", message });
  return { kind: "fault", id: salvageIdOfLong(frame) ?? null, body, message };
}

function isNotification(message: unknown): boolean {
  if (typeof message !== "object" || message === null || Object.hasOwn(message, "id")) return false;
  const { jsonrpc, method } = message as Record<string, unknown>;
  return jsonrpc === "2.0" && typeof method === "string";
}

function fault(id: MessageId | null, error: MessageFault): FrameFromGateway {
  return { kind: "fault", id, body: faultBody(error), message: error.message };
}
