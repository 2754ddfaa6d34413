import { open, readdir, stat } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AuditRecord } from "../core/records/record.ts";
import type { AbandonedTrail, Neighbours } from "../core/stops/cut-off-watch.ts";
import { AuditFileError, finalPath, ifThere } from "./disk.ts";
import { FileLock } from "./file-lock.ts";
import { currentOf, FileSet } from "./file-set.ts";
import { pastRecords } from "./past-records.ts";
import type { UnreadableLine } from "./read-records.ts";

/** In the folder of the trails: locked while somebody tells what was cut off. */
const TELLING = "cut-off";

const ATTEMPTS = 5;
const PAUSE_MS = 500;

/** How each line of an audit trail begins. */
const BEGINNING = '{"seq":';

/** The audit trails in the folder of an audit file that have its extension. `path` is that of its own current file. */
export class AuditNeighbours implements Neighbours {
  readonly #path: string;
  readonly #onUnreadable: (line: UnreadableLine) => void;

  /** Lines of abandoned trails that cannot be read are passed to `onUnreadable` and skipped. */
  constructor(path: string, onUnreadable: (line: UnreadableLine) => void) {
    this.#path = path;
    this.#onUnreadable = onUnreadable;
  }

  async abandoned(): Promise<readonly AbandonedTrail[]> {
    const own = await finalPath(this.#path);
    const found: AbandonedTrail[] = [];
    for (const { path, version } of await trailsBeside(own)) {
      if (path === own || (await FileLock.isHeld(path))) continue;
      found.push({ path, version, records: () => recordsAt(path, this.#onUnreadable) });
    }
    return found;
  }

  async *all(): AsyncGenerator<AuditRecord> {
    for (const { path } of await trailsBeside(await finalPath(this.#path))) yield* recordsAt(path, () => {});
  }

  async alone(use: () => Promise<void>): Promise<void> {
    const lock = await this.#lock();
    try {
      await use();
    } finally {
      await lock?.release();
    }
  }

  /** Undefined where it cannot be had: to tell twice is better than not to tell. */
  async #lock(): Promise<FileLock | undefined> {
    const path = join(dirname(await finalPath(this.#path)), TELLING);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        return await FileLock.take(path);
      } catch (error) {
        if (!(error instanceof AuditFileError)) throw error;
        await pause(PAUSE_MS);
      }
    }
    return undefined;
  }
}

async function* recordsAt(path: string, onUnreadable: (line: UnreadableLine) => void): AsyncGenerator<AuditRecord> {
  yield* await pastRecords(path, onUnreadable);
}

/** The trails in the folder of a current file, by the paths of theirs. */
async function trailsBeside(own: string): Promise<Pick<AbandonedTrail, "path" | "version">[]> {
  const folder = dirname(own);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isFile() ? [currentOf(entry.name)] : []));
  const found: Pick<AbandonedTrail, "path" | "version">[] = [];
  for (const name of new Set(names)) {
    const path = join(folder, name);
    if (extname(name) !== extname(own)) continue;
    const version = await versionOf(path);
    if (version !== undefined) found.push({ path, version });
  }
  return found;
}

/** Version of a trail, which changes with each record; undefined for one without records, and for other files. */
async function versionOf(path: string): Promise<string | undefined> {
  const files = [...(await new FileSet(path).allFull()), path];
  if (!(await beginsTrail(files[0] ?? path))) return undefined;
  const stats = await Promise.all(files.slice(-2).map((file) => ifThere(stat(file))));
  return stats.map((found) => (found ? `${found.ino}:${found.size}:${found.mtimeMs}` : "")).join();
}

async function beginsTrail(file: string): Promise<boolean> {
  const handle = await ifThere(open(file));
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 0);
    return buffer.toString("utf8", 0, bytesRead) === BEGINNING;
  } finally {
    await handle.close();
  }
}
