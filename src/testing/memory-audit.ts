import type { AuditRecord, AuditSink } from "../core/records/record.ts";

/** An audit sink that keeps its records in memory, and can be made to fail. */
export class MemoryAudit implements AuditSink {
  readonly records: AuditRecord[] = [];
  /** What the next writes fail with, until it is set to undefined. */
  failure: Error | undefined;

  write(record: AuditRecord): void {
    if (this.failure) throw this.failure;
    this.records.push(record);
  }

  /** Stages of the records, in the order in which they came. */
  get stages(): string[] {
    return this.records.map(({ stage }) => stage);
  }
}
