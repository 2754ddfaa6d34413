import { AuditFileError, type AuditFileOptions, openAuditFile } from "../../audit/index.ts";
import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Settings } from "../../config/settings.ts";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import type { MonitorLog } from "../log/monitor-log.ts";
import { LoggedAudit } from "./logged-audit.ts";
import { RetriedAuditFile } from "./retried-audit-file.ts";

/** Where a gateway keeps its audit records. */
export interface GatewayAudit {
  readonly sink: AuditSink;
  /** Whether records could be kept when it was opened. */
  readonly working: boolean;
  /** Lets go of the audit file, once everything is written. */
  close(): Promise<void>;
}

/** What a disk says that is full or broken. */
const DISK_TROUBLE: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"]);

/**
 * Opens the audit that the settings ask for: the monitor log, or a file and the log. `onLogFailure` is called for records that are
 * in the file but not in the log. Throws {@link ConfigurationError} when the file cannot be used as it is configured.
 */
export async function openAudit(
  settings: Settings,
  log: MonitorLog,
  onLogFailure: (record: AuditRecord, error: unknown) => void,
): Promise<GatewayAudit> {
  const path = settings["admin.audit.file"];
  if (path === undefined) return { sink: log.audit, working: true, close: async () => {} };
  const maxFiles = settings["admin.audit.max-files"];
  const maxFileBytes = settings["admin.audit.max-file-size"];
  const file = await openFile({ path, maxFileBytes, ...(maxFiles !== undefined && { maxFiles }), log }, log);
  const working = !(file instanceof RetriedAuditFile);
  return { sink: new LoggedAudit(file, log, onLogFailure), working, close: () => file.close() };
}

type AuditFileSink = AuditSink & Pick<GatewayAudit, "close">;

/** A gateway on a broken disk has to start: nothing may stand in the way of a stop (decision D-LOG 15). */
async function openFile(options: AuditFileOptions, log: MonitorLog): Promise<AuditFileSink> {
  try {
    const file = await openAuditFile(options);
    log.info("Audit file: open", { file: file.path, records: file.last.seq, lastHash: file.last.hash });
    return file;
  } catch (cause) {
    if (!(cause instanceof AuditFileError)) throw cause;
    if (!isDiskTrouble(cause)) throw new ConfigurationError(`admin.audit.file: ${cause.message}`, { cause });
    log.error("AUDIT FILE UNAVAILABLE: stops go on without records, changes are refused until it can be opened", {
      cause: cause.message,
    });
    return new RetriedAuditFile(options);
  }
}

function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return DISK_TROUBLE.has((error as NodeJS.ErrnoException).code) || isDiskTrouble(error.cause);
}
