import { describe, expect, it, vi } from "vitest";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { LoggedAudit } from "../../src/gateway/audit/audit.ts";
import type { MonitorLog } from "../../src/gateway/log/monitor-log.ts";
import { MemoryAudit } from "../../src/testing/rig.ts";
import { auditRecord, ids } from "./folder.ts";

/** A host's own log, which can fail. */
function hostLog(write: (record: AuditRecord) => void | Promise<void>): MonitorLog & { lines: unknown[] } {
  const lines: unknown[] = [];
  const line = (message: string, details: unknown): void => void lines.push([message, details]);
  const requests = { write: () => {}, flush: () => {}, lost: 0 };
  return { lines, info: line, warn: line, error: line, audit: { write }, requests };
}

describe("D-LOG 14: a copy of the audit in a log that fails for a while", () => {
  it.each([
    [
      "immediately",
      (error: Error): void => {
        throw error;
      },
    ],
    ["later", (error: Error): Promise<void> => Promise.reject(error)],
  ])("keeps every record, reports each failure, and says in the log in the end what it lacks: %s", async (_, fail) => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const file = new MemoryAudit();
    let failure: Error | undefined;
    const log = hostLog(() => (failure ? fail(failure) : undefined));
    const failed: [string, unknown][] = [];
    const audit = new LoggedAudit(file, log, ({ id }, error) => void failed.push([id, error]));
    await audit.write(auditRecord("m1"));
    failure = new Error("broken pipe");
    for (const id of ids(2, 2)) await audit.write(auditRecord(id));
    await expect
      .poll(() => failed)
      .toEqual([
        ["m2", failure],
        ["m3", failure],
      ]);
    expect(warned).toHaveBeenCalledTimes(1);
    failure = undefined;
    for (const id of ids(2, 4)) await audit.write(auditRecord(id));
    expect(log.lines).toEqual([
      ["Audit records are missing from this log; they are in the audit file", { records: 2 }],
    ]);
    expect(file.records.map(({ id }) => id)).toEqual(ids(5));
    warned.mockRestore();
  });
});
