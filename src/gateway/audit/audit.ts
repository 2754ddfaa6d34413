import { type ChainPosition, GENESIS } from "../../audit/chain.ts";
import { type AuditFile, AuditFileError, type AuditFileOptions, openAuditFile } from "../../audit/index.ts";
import { AuditNeighbours } from "../../audit/neighbours.ts";
import { leftOut, pastRecords } from "../../audit/past-records.ts";
import { ConfigurationError } from "../../config/configuration-error.ts";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import type { Neighbours } from "../../core/stops/cut-off-watch.ts";
import { type ChainedSink, checkStreamSettings, openStream, type StreamNeeds } from "../audit-stream/open-stream.ts";
import type { MonitorLog } from "../log/monitor-log.ts";

export interface GatewayAudit {
  readonly sink: AuditSink;
  /** The records that were there when it was opened; undefined without a file that can be read. */
  readonly history?: AsyncIterable<AuditRecord>;
  /** The trails beside that file; undefined without one. */
  readonly neighbours?: Neighbours;
  /** Whether records could be kept when it was opened. */
  readonly working: boolean;
  /** Durable records that the stream has not acknowledged; 0 without one. */
  readonly behind: () => number;
  /** Lets go of the audit file, once everything is written, and of the stream. */
  close(): Promise<void>;
}

type OnLogFailure = (record: AuditRecord, error: unknown) => void;

/** Error codes of a full or broken disk. */
const DISK_TROUBLE: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"]);

/**
 * Opens the audit that the settings ask for: the monitor log, or a file and the log. `onLogFailure` is called for records that are
 * in the file but not in the log. Throws {@link ConfigurationError} when the file cannot be used as it is configured.
 */
export async function openAudit(needs: StreamNeeds, onLogFailure: OnLogFailure): Promise<GatewayAudit> {
  const { settings, log, nats } = needs;
  checkStreamSettings(settings, nats !== undefined);
  const path = settings["admin.audit.file"];
  if (path === undefined) return { sink: log.audit, working: true, behind: () => 0, close: async () => {} };
  const maxFiles = settings["admin.audit.max-files"];
  const maxFileBytes = settings["admin.audit.max-file-size"];
  const file = await openFile({ path, maxFileBytes, ...(maxFiles !== undefined && { maxFiles }), log }, log);
  const working = !(file instanceof RetriedAuditFile);
  const onUnreadable = leftOut(log);
  const history = await pastRecords(path, onUnreadable);
  const stream = await openStream(needs, path, file);
  return {
    sink: new LoggedAudit(stream?.sink ?? file, log, onLogFailure),
    history,
    neighbours: new AuditNeighbours(path, onUnreadable),
    working,
    behind: () => stream?.publisher.behind ?? 0,
    close: async () => {
      await file.close();
      await stream?.publisher.close();
    },
  };
}

type AuditFileSink = ChainedSink & Pick<GatewayAudit, "close">;

/** A gateway on a broken disk has to start: nothing may stand in the way of a stop (decision D-LOG 15). */
async function openFile(options: AuditFileOptions, log: MonitorLog): Promise<AuditFileSink> {
  try {
    const file = await openAuditFile(options);
    log.info("Audit file: open", { file: file.path, records: file.last.seq, lastHash: file.last.hash });
    return file;
  } catch (cause) {
    if (!(cause instanceof AuditFileError)) throw cause;
    if (!isDiskTrouble(cause)) throw new ConfigurationError(`admin.audit.file: ${cause.message}`, { cause });
    log.error("AUDIT FILE UNAVAILABLE: stops continue without records, changes are refused until it can be opened", {
      cause: cause.message,
    });
    return new RetriedAuditFile(options);
  }
}

function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return DISK_TROUBLE.has((error as NodeJS.ErrnoException).code) || isDiskTrouble(error.cause);
}

/**
 * An audit whose file is the record, with a copy in the monitor log (decision D-LOG 14). A log that fails refuses nothing, but
 * it is reported: by Node as a warning, since it cannot be logged, and in the log once it can be written again.
 */
export class LoggedAudit implements AuditSink {
  readonly #file: AuditSink;
  readonly #log: MonitorLog;
  readonly #onLogFailure: OnLogFailure;
  #missing = 0;

  constructor(file: AuditSink, log: MonitorLog, onLogFailure: OnLogFailure) {
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

/** An audit file that cannot be opened yet: each record tries again. */
class RetriedAuditFile implements ChainedSink {
  readonly #options: AuditFileOptions;
  #file: Promise<AuditFile> | undefined;
  #opened: AuditFile | undefined;

  constructor(options: AuditFileOptions) {
    this.#options = options;
  }

  get last(): ChainPosition {
    return this.#opened?.last ?? GENESIS;
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
      this.#opened = await openAuditFile(this.#options);
      return this.#opened;
    } catch (error) {
      this.#file = undefined;
      throw error;
    }
  }
}
