import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { type EngineReply, TransportError } from "../../src/core/engine/transport.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import type { Steps } from "../../src/core/load/steps.ts";
import { parseInSteps } from "../json-rpc/parse-in-steps.ts";
import { decodeReply, type ReplyBody } from "../json-rpc/replies.ts";
import { BeyondBounds } from "../json-rpc/reply-scan.ts";
import { bytesOf } from "./messages.ts";

/** Status of the empty message that a server sends if a subject has no subscribers. */
const NO_RESPONDERS = 503;

/** Characters that would break a header or a log line. */
const NOT_PRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const MAX_DESCRIPTION_LENGTH = 200;

/** The error in a reply. */
export type ReplyError = Extract<ReplyBody, { error: unknown }>["error"];

/** Whether the subject has no subscribers: the request reached no engine. */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === NO_RESPONDERS;
}

/** Parses a reply, in steps if it is long. */
export function* readReply(message: Msg, gate: Gate | undefined): Steps<EngineReply | TransportError> {
  try {
    const payload = yield* parseInSteps(bytesOf(message), gate);
    return decodeReply(payload) ?? notUnderstood("has neither or both of result and error");
  } catch (cause) {
    return notUnderstood(cause instanceof BeyondBounds ? cause.message : "is not JSON in UTF-8", cause);
  }
}

/** The headers that mark an error for NATS tools (NATS ADR-32). */
export function errorHeaders({ code, message }: ReplyError): MsgHdrs {
  const found = headers();
  found.set("Nats-Service-Error-Code", String(code));
  found.set("Nats-Service-Error", message.slice(0, MAX_DESCRIPTION_LENGTH).replace(NOT_PRINTABLE, " "));
  return found;
}

function notUnderstood(why: string, cause?: unknown): TransportError {
  return new TransportError("protocol", `The engine's reply ${why}`, { sent: true, cause });
}
