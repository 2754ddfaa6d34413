import type { AuditRecord } from "../core/audit.ts";
import { linesOf } from "./lines.ts";

/** A record as it stands in a file, with its place in the chain. */
export type FiledRecord = AuditRecord & { readonly seq: number };

/** What a line of an audit file holds: a record; a line about the file itself is none, nor is one that cannot be read. */
export type LineContent = { readonly record: FiledRecord } | { readonly problem: string } | undefined;

/** A line that is no record and should be one. */
export interface UnreadableLine {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

/**
 * Reads the records of a file in their order. The chain is not checked: that is what `verifyAuditFiles` is for. Lines that
 * cannot be read are handed to `onUnreadable` and skipped; a torn last line is not one of them, as it may be a record that is
 * being written now.
 */
export async function* recordsOf(
  file: string,
  onUnreadable: (line: UnreadableLine) => void,
): AsyncGenerator<FiledRecord> {
  for await (const { bytes, number: line, complete } of linesOf(file)) {
    if (!complete) continue;
    const content = contentOf(bytes);
    if (content === undefined) continue;
    if ("record" in content) yield content.record;
    else onUnreadable({ file, line, problem: content.problem });
  }
}

/** Reads one complete line. */
export function contentOf(bytes: Uint8Array): LineContent {
  const value = parsed(bytes);
  if (typeof value !== "object" || value === null) return { problem: "is not a JSON object" };
  if ("event" in value) return undefined;
  if (isRecord(value)) return { record: value };
  return { problem: "is not an audit record" };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // The caller says where it is.
    return undefined;
  }
}

function isRecord(value: object): value is FiledRecord {
  const { seq, id, time, stage } = value as Partial<FiledRecord>;
  return typeof seq === "number" && [id, time, stage].every((field) => typeof field === "string");
}
