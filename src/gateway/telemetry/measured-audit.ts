import { Histogram, type Registry } from "prom-client";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import { gauge, LATENCY_BUCKETS } from "./metrics.ts";

/** An audit sink that times its records and knows how many wait. */
export class MeasuredAudit implements AuditSink {
  readonly #sink: AuditSink;
  readonly #durations: Histogram;
  #pending = 0;
  #working: boolean;

  /** `working` says whether records can be kept now, as far as that is known. */
  constructor(sink: AuditSink, working: boolean, registry: Registry) {
    this.#sink = sink;
    this.#working = working;
    this.#durations = new Histogram({
      name: "trading_admin_audit_write_duration_seconds",
      help: "Time until an audit record was persisted, or the attempt failed.",
      buckets: [...LATENCY_BUCKETS],
      registers: [registry],
    });
    gauge(registry, {
      name: "trading_admin_audit_pending_records",
      help: "Audit records that are waiting to be persisted.",
      read: () => this.#pending,
    });
  }

  /** Records that wait to be kept. */
  get pending(): number {
    return this.#pending;
  }

  get working(): boolean {
    return this.#working;
  }

  async write(record: AuditRecord): Promise<void> {
    const startedAt = performance.now();
    this.#pending += 1;
    try {
      await this.#sink.write(record);
      this.#working = true;
    } catch (error) {
      this.#working = false;
      throw error;
    } finally {
      this.#pending -= 1;
      this.#durations.observe((performance.now() - startedAt) / 1000);
    }
  }
}
