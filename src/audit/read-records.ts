import type { AuditRecord } from "../core/records/record.ts";
import { jsonIn } from "../core/values/basics.ts";
import type { ChainLink } from "./chain.ts";
import { type LineSource, readLines } from "./lines.ts";

export interface FiledRecord {
  readonly seq: number;
  readonly record: AuditRecord;
}

/** The record of a line; undefined for an event of the file itself. */
type LineContent = FiledRecord | { readonly problem: string } | undefined;

export interface UnreadableLine {
  readonly file: string;
  /** Number of the line, from 1. */
  readonly line: number;
  /** Why it cannot be read as a record. */
  readonly problem: string;
}

/**
 * Reads the records of a file in order, without checking the chain; for that, use `verifyAuditFiles`. Unreadable lines are passed to
 * `onUnreadable` and skipped, except an incomplete last line, which may be a record that is being written.
 */
export async function* recordsOf(
  source: LineSource,
  onUnreadable: (line: UnreadableLine) => void,
): AsyncGenerator<FiledRecord> {
  for await (const { bytes, number: line, complete } of readLines(source)) {
    if (!complete) continue;
    const content = contentOf(bytes);
    if (content === undefined) continue;
    if ("record" in content) yield content;
    else
      onUnreadable({ file: typeof source === "string" ? source : "the current file", line, problem: content.problem });
  }
}

/** Reads one complete line. */
export function contentOf(bytes: Uint8Array): LineContent {
  const value = jsonIn(new TextDecoder().decode(bytes));
  if (typeof value !== "object" || value === null) return { problem: "is not a JSON object" };
  // Events of the file itself have no stage; what the gateway notices has both.
  if ("event" in value && !("stage" in value)) return undefined;
  const { seq, previous: _previous, hash: _hash, ...record } = value as Partial<ChainLink & AuditRecord>;
  if (seq !== undefined && isRecord(record)) return { seq, record };
  return { problem: "is not an audit record" };
}

function isRecord(value: Partial<AuditRecord>): value is AuditRecord {
  return [value.id, value.time, value.stage].every((field) => typeof field === "string") && isDate(value.time);
}

function isDate(time = ""): boolean {
  return !Number.isNaN(Date.parse(time));
}
