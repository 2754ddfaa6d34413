import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type AuditFile, openAuditFile } from "../../src/audit/index.ts";
import type { AuditRecord, AuditSink } from "../../src/core/records/record.ts";
import type { AuditFixture } from "../../src/testing/conformance/audit-cases.ts";
import { auditConformance } from "../../src/testing/conformance/kits.ts";
import { cases as ofSnippet } from "../docs/snippets/own-audit.ts";

function auditFile(): AuditFixture {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-audit-"));
  let file: AuditFile | undefined;
  return {
    start: async () => {
      await file?.close();
      file = await openAuditFile({ path: join(folder, "audit.jsonl") });
      return file;
    },
    close: async () => {
      await file?.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describe("D-TEST 11: the conformance kit for audit sinks", () => {
  it.each(auditConformance(auditFile))("passes with the audit file: $name", async ({ run }) => {
    expect(await run()).toBeUndefined();
  });

  it.each(ofSnippet)("passes with the sink of the documents: $name", async ({ run }) => {
    expect(await run()).toBeUndefined();
  });

  it.each(auditConformance(() => ({ start: () => ({ write: () => {} }), close: () => {} })))(
    "is not applicable to a sink without history: $name",
    async ({ run }) => {
      expect(await run()).toBe("no history");
    },
  );

  /** A sink whose history is made of what was written, as `history` says. */
  function sinkOf(history: (records: AuditRecord[]) => AsyncIterable<AuditRecord>): () => AuditFixture {
    return () => {
      const records: AuditRecord[] = [];
      const start = (): AuditSink => ({ write: (record) => void records.push(record), history: history(records) });
      return { start, close: () => {} };
    };
  }

  it.each<[string, (records: AuditRecord[]) => AsyncIterable<AuditRecord>, number, RegExp]>([
    ["has another order", (records) => streamOf(records.toReversed()), 0, /in the order of the calls of write/],
    ["lacks records", (records) => streamOf(records.slice(1)), 0, /the history is what was written/],
    ["continues with new records", (records) => streamOf(records), 1, /must end before those/],
  ])("finds a history that %s", async (_what, history, at, message) => {
    const run = auditConformance(sinkOf(history))[at]?.run;
    await expect(run?.()).rejects.toThrow(message);
  });

  it("finds records that a slow store takes in another order", async () => {
    const records: AuditRecord[] = [];
    const write = async (record: AuditRecord): Promise<void> => {
      await pause(Math.random() * 20);
      records.push(record);
    };
    const start = (): AuditSink => ({ write, history: streamOf([...records]) });
    const [inOrder] = auditConformance(() => ({ start, close: () => {} }));
    await expect(inOrder?.run()).rejects.toThrow(/in the order of the calls of write/);
  });
});

async function* streamOf(records: Iterable<AuditRecord>): AsyncGenerator<AuditRecord> {
  yield* records;
}
