import { type AuditFile, type AuditFileOptions, openAuditFile } from "../../audit/index.ts";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";

/** An audit file that cannot be opened yet: each record tries again. */
export class RetriedAuditFile implements AuditSink {
  readonly #options: AuditFileOptions;
  #file: Promise<AuditFile> | undefined;

  constructor(options: AuditFileOptions) {
    this.#options = options;
  }

  async write(record: AuditRecord): Promise<void> {
    this.#file ??= this.#open();
    await (await this.#file).write(record);
  }

  async close(): Promise<void> {
    await (await this.#file)?.close();
  }

  async #open(): Promise<AuditFile> {
    try {
      return await openAuditFile(this.#options);
    } catch (error) {
      this.#file = undefined;
      throw error;
    }
  }
}
