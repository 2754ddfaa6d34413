// #region imports
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditRecord, AuditSink } from "trading-admin-api";
import { auditConformance } from "trading-admin-api/testing";

// #endregion

// #region sink
/** Records as lines of a file. */
class LinesAudit implements AuditSink {
  readonly history: AsyncIterable<AuditRecord>;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.history = earlier(readFileSync(path, { encoding: "utf8", flag: "a+" }));
  }

  write(record: AuditRecord): void {
    appendFileSync(this.#path, `${JSON.stringify(record)}\n`);
  }
}

async function* earlier(text: string): AsyncGenerator<AuditRecord> {
  for (const line of text.split("\n").slice(0, -1)) yield JSON.parse(line);
}

export const cases = auditConformance(() => {
  const folder = mkdtempSync(join(tmpdir(), "audit-"));
  return {
    start: () => new LinesAudit(join(folder, "audit.jsonl")),
    close: () => rmSync(folder, { recursive: true }),
  };
});
// #endregion
