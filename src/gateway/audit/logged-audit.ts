import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import type { MonitorLog } from "../log/monitor-log.ts";

/**
 * An audit whose file is the record, with a copy in the monitor log (decision D-LOG 14). A log that fails refuses nothing, but
 * it is reported: by Node as a warning, since it cannot be logged, and in the log once it can be written again.
 */
export class LoggedAudit implements AuditSink {
  readonly #file: AuditSink;
  readonly #log: MonitorLog;
  readonly #onLogFailure: (record: AuditRecord, error: unknown) => void;
  #missing = 0;

  constructor(file: AuditSink, log: MonitorLog, onLogFailure: (record: AuditRecord, error: unknown) => void) {
    this.#file = file;
    this.#log = log;
    this.#onLogFailure = onLogFailure;
  }

  write(record: AuditRecord): void | Promise<void> {
    this.#copy(record);
    return this.#file.write(record);
  }

  #copy(record: AuditRecord): void {
    try {
      const copied = this.#log.audit.write(record);
      if (copied) copied.then(() => this.#works()).catch((error: unknown) => this.#fails(record, error));
      else this.#works();
    } catch (error) {
      this.#fails(record, error);
    }
  }

  #works(): void {
    if (this.#missing === 0) return;
    this.#log.warn("Audit records are missing from this log; they are in the audit file", { records: this.#missing });
    this.#missing = 0;
  }

  #fails(record: AuditRecord, error: unknown): void {
    if (this.#missing === 0)
      process.emitWarning("The monitor log cannot be written; audit records go to the file only");
    this.#missing += 1;
    this.#onLogFailure(record, error);
  }
}
