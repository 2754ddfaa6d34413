import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readLines } from "../../src/audit/lines.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";

const REFUSALS = ["denied", "invalid"].map((stage) => `"stage":"${stage}"`);

/** What the audit files of a folder hold of a storm. */
export interface Records {
  /** Stages by request id, of those whose ids begin with `storm-`. */
  readonly stages: ReadonlyMap<string, readonly string[]>;
  /** Records of refused attempts. */
  readonly refusals: number;
}

/** Reads the current file and those that were full. */
export async function recordsIn(folder: string): Promise<Records> {
  const stages = new Map<string, string[]>();
  let refusals = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
    for await (const { bytes } of readLines(join(folder, name))) {
      // Most are somebody else's, and some are very long.
      const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (REFUSALS.some((stage) => line.includes(stage))) refusals += 1;
      if (!line.includes('"requestId":"storm-')) continue;
      const { requestId, stage } = JSON.parse(line.toString()) as AuditRecord;
      stages.set(requestId, [...(stages.get(requestId) ?? []), stage]);
    }
  }
  return { stages, refusals };
}
