import { isatty } from "node:tty";
import { pino } from "pino";
import type { Logger } from "../../core/logger.ts";
import { numberLike, requireArgument } from "../../core/options.ts";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import { LineWriter } from "./line-writer.ts";
import { openRequestLog, type RequestLog } from "./request-log.ts";
import { TerminalLines } from "./terminal-lines.ts";

/** The monitor log: one JSON object a line, on a terminal a short line for its reader. */
export interface MonitorLog extends Logger {
  /** Writes audit records to the log; a record counts as kept once its line has been written. */
  readonly audit: AuditSink;
  /** Takes a line for each request that got a response. */
  readonly requests: RequestLog;
}

/**
 * Opens the monitor log on a file descriptor, 1 for standard output. Lines are written immediately, not buffered, but those of
 * requests.
 */
export function openMonitorLog(descriptor: number): MonitorLog {
  requireArgument("openMonitorLog", "descriptor", descriptor, numberLike("1"));
  // Not the destination of pino: after a broken pipe that takes every line and writes none.
  const writer = new LineWriter(descriptor);
  const destination = isatty(descriptor) ? new TerminalLines(writer) : writer;
  const formatters = { level: (level: string) => ({ level }) };
  const options = { base: null, formatters, timestamp: pino.stdTimeFunctions.isoTime };
  const log = pino(options, destination);
  // A record brings its own time, with microseconds.
  const audit = pino({ base: null, formatters, timestamp: false }, destination);
  return {
    info: (message, details = {}) => attempt(() => log.info(details, message)),
    warn: (message, details = {}) => attempt(() => log.warn(details, message)),
    error: (message, details = {}) => attempt(() => log.error(details, message)),
    audit: {
      write(record) {
        try {
          audit[record.operation === null ? "warn" : "info"](record, auditMessage(record));
        } catch (cause) {
          throw new Error("The monitor log cannot be written", { cause });
        }
      },
    },
    requests: openRequestLog(destination),
  };
}

/** A line that is not a record is lost when the log cannot be written. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // The next audit record fails too, and that has consequences.
  }
}

function auditMessage({ operation, stage, user, address, count, event, message }: AuditRecord): string {
  if (event) return `${stage}: ${message}`;
  if (operation === null)
    return `${stage} by ${user ?? "any user"} from ${address ?? "anywhere"}${count === 1 ? "" : `, ${count} times`}`;
  return `${operation} by ${user}: ${stage}`;
}
