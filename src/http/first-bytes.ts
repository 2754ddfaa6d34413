/** What can be told of a request from its bytes, before they are parsed. */
import { type Operations, operationNames, operationRecord } from "../core/operations/table.ts";

const LF = 0x0a;
const CR = 0x0d;
const G = 0x47;
const P = 0x50;

const END_OF_HEAD = Buffer.from("\r\n\r\n");

const LONGEST_STOP_LINE = 512;

/** Longest read behind which a socket is still read. */
const SMALL_BYTES = 4 * 1024;

/** Recognises requests for stops by their first line, whatever path the API is mounted at. */
export function stopMatcher(operations: Operations): (bytes: Buffer) => boolean {
  const paths = operationNames
    .map((name) => operationRecord(operations, name))
    .filter(({ lane }) => lane === "stop")
    .map(({ path }) => path.replace(/\{\w+\}/g, "[^/ ?]+"));
  const pattern = new RegExp(`^(?:\\r\\n)*POST [^ ?]*(?:${paths.join("|")})[ ?]`);
  return (bytes) => {
    const mayBe = bytes[0] === P || bytes[0] === CR;
    return mayBe && pattern.test(bytes.toString("latin1", 0, LONGEST_STOP_LINE));
  };
}

/** Whether bytes are the empty lines that may precede a request (RFC 9112 section 2.2). */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === CR || byte === LF);
}

/** Size of the head with which bytes begin; undefined if they do not hold its end. */
export function sizeOfHead(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  return end < 0 ? undefined : end + END_OF_HEAD.length;
}

/** Whether bytes are one small request for a read and nothing else, and hold no more memory than that. */
export function isOneRead(bytes: Buffer): boolean {
  return bytes[0] === G && bytes.buffer.byteLength <= SMALL_BYTES && sizeOfHead(bytes) === bytes.length;
}
