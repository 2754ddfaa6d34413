import { isUtf8 } from "node:buffer";
import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { type EngineReply, TransportError } from "../../src/core/engine/transport.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import type { BusMethod } from "../../src/core/operations/table.ts";
import { CONTRACT_NAME } from "../json-rpc/contract.ts";
import { parseReply } from "../json-rpc/parse-reply.ts";
import { decodeReply, type ReplyBody } from "../json-rpc/replies.ts";
import { BeyondBounds, type ReplyScan } from "../json-rpc/reply-scan.ts";

export function bytesOf(message: Msg): Buffer {
  const { buffer, byteOffset, length } = message.data;
  return Buffer.from(buffer, byteOffset, length);
}

/** The same as text; throws if it is not UTF-8, which the client would silently replace. */
export function textOf(message: Msg): string {
  const bytes = bytesOf(message);
  checkUtf8(bytes);
  return bytes.toString();
}

function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new TypeError("The payload is not UTF-8");
}

/** Dot-separated tokens without wildcards, white space and control characters. */
const TOKENS = /^[^.*>\s\p{Cc}]+(\.[^.*>\s\p{Cc}]+)*$/u;

export interface Subjects {
  readonly of: (name: BusMethod) => string;
  /**
   * What the inboxes of gateways begin with: below the subjects of the operations, as whoever may publish there commands the engine anyway.
   * To `_INBOX` every responder of an account may publish, and could reply in the engine's place.
   */
  readonly inboxes: string;
}

/** Makes the subjects of a bus; throws `TypeError` for a prefix that cannot begin one. */
export function subjectsOf(prefix: string = CONTRACT_NAME): Subjects {
  if (!TOKENS.test(prefix)) {
    throw new TypeError(
      `The prefix of NATS subjects must be words joined by ".", without blanks, "*" and ">", for example ${CONTRACT_NAME}`,
    );
  }
  return { of: (name) => `${prefix}.${name}`, inboxes: `${prefix}.inbox` };
}

/** Status of the empty message that a server sends if a subject has no subscribers. */
const NO_RESPONDERS = 503;

/** Characters that would break a header or a log line. */
const NOT_PRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const MAX_DESCRIPTION_LENGTH = 200;

export type ReplyError = Extract<ReplyBody, { error: unknown }>["error"];

/** Whether the subject has no subscribers: the request reached no engine. */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === NO_RESPONDERS;
}

/** Reads a reply that has been looked through. */
export function readReply(scan: ReplyScan, gate: Gate | undefined): EngineReply | TransportError {
  try {
    checkUtf8(scan.message);
    return decodeReply(parseReply(scan, gate)) ?? notUnderstood("has neither or both of result and error");
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
