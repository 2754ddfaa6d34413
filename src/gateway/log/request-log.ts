import { type Clock, systemClock } from "../../core/clock.ts";
import { type CountedEvents, EventLimiter } from "../../core/records/event-limiter.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import type { ResponseReport } from "../../http/admin-http-options.ts";
import type { LineSink } from "./terminal-lines.ts";

/**
 * A line of the log for each request that got a response; of those with an error, 20 a minute for each user and one with the number
 * of the others.
 */
export interface RequestLog {
  /** Writes the line, a little later and together with others. */
  write(report: ResponseReport): void;
  /** Writes what waits or was only counted. */
  flush(): void;
  /** Lines that could not be written. */
  readonly lost: number;
}

/** How long a line waits for others: what a killed process loses. */
const PAUSE_MS = 100;

/** Bytes that wait at most. */
const MAX_WAITING = 64 * 1024;

/** Bytes of a character of a string in UTF-8, at most. */
const BYTES_OF_CHARACTER = 3;

/** Errors have this status or one above. */
const ERROR_STATUS = 400;

/** Lines about errors in a minute for one user, or for one address where no user is known. */
const MAX_ERRORS = 20;

/** A pipe takes as much as this as a whole or not at all (PIPE_BUF of Linux), so no line is left half written. */
const GROUP_BYTES = 4096;

const NEWLINE = 0x0a;

/**
 * Gathers lines and writes them together: a call of the system for each of thousands of reads would cost more than the read. A
 * reader that does not keep up loses lines and halts nothing.
 */
class GatheredLines {
  readonly #writer: LineSink;
  readonly #bytes = Buffer.allocUnsafe(MAX_WAITING);
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  lost = 0;

  constructor(writer: LineSink) {
    this.#writer = writer;
  }

  write(line: string): void {
    const most = line.length * BYTES_OF_CHARACTER;
    if (this.#length + most > MAX_WAITING) this.flush();
    if (most > MAX_WAITING) {
      this.#writeGroups(Buffer.from(line));
    } else {
      this.#length += this.#bytes.write(line, this.#length);
      this.#timer ??= setTimeout(() => this.flush(), PAUSE_MS).unref();
    }
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#writeGroups(bytes);
  }

  #writeGroups(bytes: Buffer): void {
    let at = 0;
    try {
      while (at < bytes.length) {
        const end = endOfGroup(bytes, at);
        this.#writer.write(bytes.subarray(at, end), 0);
        at = end;
      }
    } catch {
      // The reader of the log is slow or gone; the count says how much it misses.
      this.lost += bytes.subarray(at).filter((byte) => byte === NEWLINE).length;
    }
  }
}

/** Where a group of whole lines ends that has at most {@link GROUP_BYTES}; a longer line has its own group. */
function endOfGroup(bytes: Buffer, start: number): number {
  if (bytes.length - start <= GROUP_BYTES) return bytes.length;
  const last = bytes.lastIndexOf(NEWLINE, start + GROUP_BYTES - 1);
  return 1 + (last < start ? bytes.indexOf(NEWLINE, start) : last);
}

/** Opens the log of requests. A line says who asked for what and how it ended: never a path, a body or credentials. */
export function openRequestLog(writer: LineSink, clock: Clock = systemClock): RequestLog {
  const lines = new GatheredLines(writer);
  const write = lineWriter(lines);
  const errors = new EventLimiter<ResponseReport>({
    clock,
    limit: MAX_ERRORS,
    groupOf: ({ user, address }) => JSON.stringify(user === null ? [address] : user),
    kindOf: ({ status }) => `${status}`,
    withoutGroup: (report) => ({ ...report, user: null, address: undefined }),
    report: (counted) => writeCount(write, counted),
  });
  return {
    write: (report) => {
      if (report.status >= ERROR_STATUS && !errors.pass(report)) return;
      write(fieldsOf(report));
    },
    flush: () => {
      void errors.close();
      lines.flush();
    },
    get lost() {
      return lines.lost;
    },
  };
}

type WriteLine = (fields: object) => void;

/** Makes lines as pino makes those of the monitor log, in half the time: there is one for each of thousands of reads a second. */
function lineWriter(lines: GatheredLines): WriteLine {
  let at = 0;
  let start = "";
  return (fields) => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      start = `{"level":"info","time":"${new Date(now).toISOString()}",`;
    }
    lines.write(`${start}${JSON.stringify(fields).slice(1)}\n`);
  };
}

/** Writes a line that stands for responses which have none themselves. */
function writeCount(write: WriteLine, counted: readonly CountedEvents<ResponseReport>[]): void {
  const [events] = counted;
  if (!events) return;
  const { requestId, user, address } = fieldsOf(events.first);
  const statuses = Object.fromEntries(counted.map(({ first, count }) => [first.status, count]));
  const count = counted.reduce((sum, { count: more }) => sum + more, 0);
  write({ requestId, user, address, count, statuses, msg: `${count} more requests ended with an error` });
}

interface LineFields extends Omit<ResponseReport, "address"> {
  readonly address: string | null;
  readonly msg: string;
}

/** Written out, as a rest of the other fields takes as long as all the rest of a line. */
function fieldsOf({ method, operation, status, requestId, user, address, durationMs }: ResponseReport): LineFields {
  return {
    requestId,
    method,
    operation,
    status,
    user: user === null ? null : escapeControlCharacters(user),
    address: address ?? null,
    durationMs: Math.round(durationMs * 1000) / 1000,
    msg: `${method} ${operation ?? "-"}: ${status}`,
  };
}
