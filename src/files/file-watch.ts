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

/** Files that could not be applied are tried again after so many looks, changed or not: a network drive may have been away. */
const RETRY_LOOKS = 15;

/**
 * Applies files again when one of them changes. Polling is better than notifications here: those miss changes on network
 * drives and in mounted volumes of containers.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  #version: string;
  /** Why the files could not be applied last; undefined when they were. */
  #failure: string | undefined;
  #looksSinceFailure = 0;
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
    const isKnown = version === this.#version;
    if (!always && isKnown && !this.#isRetryDue()) return this.#failure === undefined;
    this.#version = version;
    this.#looksSinceFailure = 0;
    try {
      await apply();
      this.#failure = undefined;
      return true;
    } catch (error) {
      const reason = messageOf(error);
      if (always || !isKnown || reason !== this.#failure) log.error(`${failure}: ${reason}`);
      this.#failure = reason;
      return false;
    }
  }

  #isRetryDue(): boolean {
    if (this.#failure === undefined) return false;
    this.#looksSinceFailure += 1;
    return this.#looksSinceFailure >= RETRY_LOOKS;
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
