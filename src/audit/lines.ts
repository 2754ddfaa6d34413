import { createReadStream, type ReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";

export interface FileLine {
  /** Its bytes without the line end. */
  readonly bytes: Uint8Array;
  /** Number of the line, from 1. */
  readonly number: number;
  /** False for an incomplete line at the end of the file. */
  readonly complete: boolean;
}

const LINE_FEED = 0x0a;

const CHUNK_BYTES = 1024 * 1024;

/** A file by its path, or the first bytes of an open one, which may get another name meanwhile. */
export type LineSource = string | { readonly handle: FileHandle; readonly bytes: number };

function streamOf(source: LineSource): ReadStream {
  if (typeof source === "string") return createReadStream(source, { highWaterMark: CHUNK_BYTES });
  return source.handle.createReadStream({ highWaterMark: CHUNK_BYTES, end: source.bytes - 1, autoClose: false });
}

/** Reads a file line by line, with a chunk and the current line in memory. */
export async function* readLines(source: LineSource): AsyncGenerator<FileLine> {
  let number = 0;
  let parts: Uint8Array[] = [];
  const finish = (last: Uint8Array, complete: boolean): FileLine => {
    const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    number += 1;
    return { bytes, number, complete };
  };
  for await (const chunk of streamOf(source) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield finish(chunk.subarray(start, end), true);
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield finish(new Uint8Array(), false);
}
