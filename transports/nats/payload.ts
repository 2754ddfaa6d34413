import { isUtf8 } from "node:buffer";
import type { Msg } from "@nats-io/transport-node";

/** The payload of a message; throws when it is not UTF-8, which the client would mend unseen. */
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
