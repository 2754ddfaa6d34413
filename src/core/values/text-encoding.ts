import { isUtf8 } from "node:buffer";

/** Why bytes are not a text in UTF-8, and where; the column counts characters, both count from 1. */
export interface EncodingFault {
  readonly reason: string;
  /** Absent where the file as a whole has another encoding. */
  readonly at?: { readonly line: number; readonly column: number };
}

const LINE_FEED = 0x0a;

/** First fault in the encoding of a text that has to be UTF-8: reading it as anything else would guess at names. */
export function encodingFault(bytes: Buffer): EncodingFault | undefined {
  if ([0xfeff, 0xfffe].includes(bytes.length > 1 ? bytes.readUInt16BE() : 0)) {
    return { reason: "the file is UTF-16, as its byte order mark says" };
  }
  if (isUtf8(bytes)) return undefined;
  for (let [line, from] = [1, 0]; ; line += 1) {
    const end = bytes.indexOf(LINE_FEED, from);
    const part = bytes.subarray(from, end < 0 ? bytes.length : end);
    if (!isUtf8(part)) {
      return { reason: "the file is not UTF-8", at: { line, column: part.toString("utf8").indexOf("\ufffd") + 1 } };
    }
    from = end + 1;
  }
}
