import type { Clock } from "../../src/core/clock.ts";
import type { EngineReply, EngineRequest, ReplyTime } from "../../src/core/engine/transport.ts";
import { type Fields, isObject } from "../../src/core/values/basics.ts";
import { REFUSAL_CODES, refusalOf } from "./contract.ts";
import type { MessageFault, MessageId } from "./requests.ts";

/** Contents of a reply: `result` or `error` (JSON-RPC 2.0, section 5). */
export type ReplyBody =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** The reply of an engine's end at its request limit. */
export const OVERLOADED: Extract<EngineReply, { ok: false }> = {
  ok: false,
  refusal: "overloaded",
  message: "The engine has too many requests in progress; nothing was begun",
};

/** The body of a reply; an operation without output has the result `null`. */
export function replyBody(reply: EngineReply): ReplyBody {
  if (reply.ok) return { result: reply.result ?? null };
  return { error: { code: REFUSAL_CODES[reply.refusal], message: reply.message } };
}

export function faultBody({ code, message }: MessageFault): ReplyBody {
  return { error: { code, message } };
}

/**
 * The engine's time for a reply, with the name of its clock. Only gateways that send `timeLeft` read it; for others it is left out, since it is not a JSON-RPC
 * member.
 */
export function replyTime({ context }: EngineRequest, clock: Clock, name?: string): ReplyTime | undefined {
  return context.timeLeft === undefined ? undefined : { now: clock.now(), clock: name };
}

/** A whole JSON-RPC reply; its id is null when the message had none. */
export function encodeReply(id: MessageId | null, body: ReplyBody, time?: ReplyTime): string {
  return JSON.stringify({ jsonrpc: "2.0", id, ...time, ...body });
}

/** A reply without the JSON-RPC envelope. */
export function encodeReplyPayload(body: ReplyBody, time?: ReplyTime): string {
  return JSON.stringify({ ...time, ...body });
}

/** The engine's reply in a parsed message, with its time if present; undefined if it has neither or both of result and error. */
export function decodeReply(message: unknown): EngineReply | undefined {
  const reply = isObject(message) ? decodeBody(message) : undefined;
  const time = decodeReplyTime(message);
  return reply && time ? { ...reply, ...time } : reply;
}

function decodeBody(message: Fields): EngineReply | undefined {
  const { error } = message;
  if (Object.hasOwn(message, "result") === (error !== undefined)) return undefined;
  if (error === undefined) return { ok: true, result: message.result };
  if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== "string") return undefined;
  return { ok: false, refusal: refusalOf(error.code as number), message: error.message };
}

function decodeReplyTime(message: unknown): ReplyTime | undefined {
  if (!isObject(message) || !Number.isSafeInteger(message.now)) return undefined;
  const { now, clock } = message as { now: number; clock?: unknown };
  return typeof clock === "string" ? { now, clock } : { now };
}
