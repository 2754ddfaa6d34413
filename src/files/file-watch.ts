import { stat } from "node:fs/promises";
import type { Clock } from "../core/clock.ts";
import type { Logger } from "../core/logger.ts";
import { messageOf } from "../core/values/basics.ts";

export interface FileWatchOptions {
  readonly paths: readonly string[];
  /** Reads the files and activates them, or rejects and leaves everything as it is. */
  readonly apply: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Begins the message about files that cannot be applied: `What was not reloaded, what stays active`. */
  readonly failure: string;
}

/** The `failure` of access files. */
export const RULES_NOT_RELOADED = "Access files were not reloaded, the previous rules stay active";

const INTERVAL_MS = 2000;

/**
 * Applies files again when one of them changes. Polling is better than notifications here: those miss changes on network
 * drives and in mounted volumes of containers.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  #version: string;
  #last: Promise<boolean> = Promise.resolve(true);
  #cancel: () => void = () => {};
  #closed = false;

  private constructor(options: FileWatchOptions, version: string) {
    this.#options = options;
    this.#version = version;
    this.#schedule();
  }

  /** Applies the files for the first time, then watches them. Rejects as `apply` does. */
  static async open(options: FileWatchOptions): Promise<FileWatch> {
    const version = await versionOf(options.paths);
    await options.apply();
    return new FileWatch(options, version);
  }

  /** Applies the files now, changed or not. Resolves to false, after an error in the log, when the old ones stay active. */
  reload(): Promise<boolean> {
    return this.#inTurn(true);
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#cancel = this.#options.clock.schedule(INTERVAL_MS, () => {
      void this.#inTurn(false).then(() => this.#schedule());
    });
  }

  /** One at a time, so that an older version never overtakes a newer one. */
  #inTurn(always: boolean): Promise<boolean> {
    this.#last = this.#last.then(() => this.#look(always));
    return this.#last;
  }

  /** Takes the version before reading: a change in between is seen at the next look. */
  async #look(always: boolean): Promise<boolean> {
    const { paths, apply, log, failure } = this.#options;
    const version = await versionOf(paths);
    if (this.#closed) return false;
    if (!always && version === this.#version) return true;
    this.#version = version;
    try {
      await apply();
      return true;
    } catch (error) {
      const reason = messageOf(error);
      log.error(`${failure}: ${reason}`);
      return false;
    }
  }
}

/** Changes whenever a file is written, replaced or removed, also by a copy that keeps its time of modification. Never rejects. */
async function versionOf(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(fileVersion))).join(" ");
}

async function fileVersion(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs}/${ctimeNs}/${size}/${ino}`;
  } catch {
    return "absent";
  }
}
