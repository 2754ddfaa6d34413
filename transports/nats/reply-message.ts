import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { type EngineReply, TransportError } from "../../src/core/engine/transport.ts";
import { LONG_BYTES, parseInSteps } from "../json-rpc/parse-in-steps.ts";
import { decodeReplyBody, decodeReplyTime, type ReplyBody } from "../json-rpc/replies.ts";
import { bytesOf } from "./messages.ts";

/** Status of the empty message by which a server says that no one listens to a subject. */
const NO_RESPONDERS = 503;

/** Characters that would end a header, or spoil the line of a log that shows it. */
const NOT_PRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const MAX_DESCRIPTION_LENGTH = 200;

/** What an error's reply says of it. */
export type ReplyError = Extract<ReplyBody, { error: unknown }>["error"];

/** Whether the server says that no one listens: the request reached no engine. */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === NO_RESPONDERS;
}

/** The engine's reply, and its time where the reply has it. */
export interface TimedReply {
  readonly reply: EngineReply;
  readonly now: number | undefined;
}

/** The reply in a message, or why it is none; a long one is read some of it at each step. */
export function* readReply(message: Msg): Generator<void, TimedReply | TransportError> {
  try {
    const payload = yield* parsed(message);
    const reply = decodeReplyBody(payload);
    if (!reply) return notUnderstood("has neither or both of result and error");
    return { reply, now: decodeReplyTime(payload) };
  } catch (cause) {
    return notUnderstood("is not JSON in UTF-8", cause);
  }
}

function* parsed(message: Msg): Generator<void, unknown> {
  const bytes = bytesOf(message);
  return bytes.length < LONG_BYTES ? JSON.parse(bytes.toString()) : yield* parseInSteps(bytes);
}

/** The headers by which NATS tools tell an error from a reply (NATS ADR-32). */
export function errorHeaders({ code, message }: ReplyError): MsgHdrs {
  const found = headers();
  found.set("Nats-Service-Error-Code", String(code));
  found.set("Nats-Service-Error", message.slice(0, MAX_DESCRIPTION_LENGTH).replace(NOT_PRINTABLE, " "));
  return found;
}

function notUnderstood(why: string, cause?: unknown): TransportError {
  return new TransportError("protocol", `The engine's reply ${why}`, { sent: true, cause });
}
