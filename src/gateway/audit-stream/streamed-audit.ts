import type { ChainPosition } from "../../audit/chain.ts";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import type { StreamPublisher } from "./publisher.ts";

/** An audit sink that keeps its records in a chain. */
export interface ChainedSink extends AuditSink {
  /** Position of the last durable record. */
  readonly last: ChainPosition;
}

/** An audit file whose lines are published behind it; the intents of changes may have to be in the stream, too (decision D-LOG 22). */
export class StreamedAudit implements AuditSink {
  readonly #file: ChainedSink;
  readonly #publisher: Pick<StreamPublisher, "notify" | "whenAcknowledged">;
  readonly #isRequired: boolean;

  constructor(file: ChainedSink, publisher: Pick<StreamPublisher, "notify" | "whenAcknowledged">, isRequired: boolean) {
    this.#file = file;
    this.#publisher = publisher;
    this.#isRequired = isRequired;
  }

  async write(record: AuditRecord): Promise<void> {
    await this.#file.write(record);
    this.#publisher.notify();
    if (!this.#isRequired || record.lane !== "change" || record.stage !== "intent") return;
    await this.#publisher.whenAcknowledged(this.#file.last.seq);
  }
}
