import { isUtf8 } from "node:buffer";
import type { Msg } from "@nats-io/transport-node";
import type { BusMethod } from "../../src/core/operations/table.ts";
import { CONTRACT_NAME } from "../json-rpc/contract.ts";

/** The payload of a message; throws if it is not UTF-8, which the client would silently replace. */
export function bytesOf(message: Msg): Buffer {
  const { buffer, byteOffset, length } = message.data;
  const bytes = Buffer.from(buffer, byteOffset, length);
  if (!isUtf8(bytes)) throw new TypeError("The payload is not UTF-8");
  return bytes;
}

/** The same as text. */
export function textOf(message: Msg): string {
  return bytesOf(message).toString();
}

/** Dot-separated tokens without wildcards, white space and control characters. */
const TOKENS = /^[^.*>\s\p{Cc}]+(\.[^.*>\s\p{Cc}]+)*$/u;

/** The subjects of a bus. */
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
