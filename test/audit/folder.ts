import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AuditFile, type AuditFileOptions, openAuditFile } from "../../src/audit/index.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";

/** An audit record as the API makes it. */
export function auditRecord(id: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id,
    time: "2026-01-05T09:31:00.000001Z",
    stage: "intent",
    gateway: "gateway-1",
    user: "chief",
    authentication: "basic",
    address: "127.0.0.1",
    operation: "haltTrading",
    target: "",
    parameters: { projectionPath: "", reason: 'süß "quoted" \\ 山', cancelOrders: false },
    reason: 'süß "quoted" \\ 山',
    requestId: `request-${id}`,
    ...more,
  };
}

/** Ids of that many records, from `first` on. */
export function ids(count: number, first = 1): string[] {
  return Array.from({ length: count }, (_, index) => `m${first + index}`);
}

export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A folder with an audit file in it, and whoever has that open. */
export class AuditFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "trading-admin-audit-"));
  readonly file: string = join(this.path, "audit.jsonl");
  readonly log: LogLine[] = [];
  readonly #opened: AuditFile[] = [];

  async open(options: Partial<AuditFileOptions> = {}): Promise<AuditFile> {
    const log = {
      info: (message: string, details = {}) => void this.log.push({ level: "info", message, details }),
      warn: (message: string, details = {}) => void this.log.push({ level: "warn", message, details }),
      error: (message: string, details = {}) => void this.log.push({ level: "error", message, details }),
    };
    const opened = await openAuditFile({ path: this.file, log, ...options });
    this.#opened.push(opened);
    return opened;
  }

  /** Writes records with these ids, all together. */
  async write(audit: AuditFile, written: readonly string[]): Promise<void> {
    await Promise.all(written.map((id) => audit.write(auditRecord(id))));
  }

  /** Makes a file with that many records and lets go of it. */
  async fill(count: number, options: Partial<AuditFileOptions> = {}): Promise<void> {
    const audit = await this.open(options);
    for (const id of ids(count)) await audit.write(auditRecord(id));
    await audit.close();
  }

  /** Names of the files in the folder, without sockets. */
  names(): string[] {
    const found = readdirSync(this.path, { withFileTypes: true });
    return found
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted();
  }

  /** Names of what is in the folder and is not a file. */
  sockets(): string[] {
    const found = readdirSync(this.path, { withFileTypes: true });
    return found.filter((entry) => !entry.isFile()).map(({ name }) => name);
  }

  /** Paths in the folder, and the folder itself, that this process has open. */
  openHandles(): string[] {
    const links = readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        // The one with which the list itself was read.
        return [];
      }
    });
    return links.filter((path) => path.startsWith(this.path));
  }

  text(name = "audit.jsonl"): string {
    return readFileSync(join(this.path, name), "utf8");
  }

  /** Lines of a file, each of which has to be JSON. */
  lines(name = "audit.jsonl"): Record<string, unknown>[] {
    const lines = this.text(name).split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  put(text: string | Uint8Array, name = "audit.jsonl"): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Texts of the warnings, each of which has to say which file it is about. */
  warnings(): string[] {
    const warned = this.log.filter(({ level }) => level === "warn");
    return warned.map(({ message, details }) => (details.file === undefined ? `${message} (of no file)` : message));
  }

  async close(): Promise<void> {
    for (const audit of this.#opened.splice(0)) await audit.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}
