import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { sha256 } from "./chain.ts";
import { ifThere } from "./disk.ts";

/**
 * What happened to the file itself, as it is recorded in the chain: `torn` when a line that a crash had cut off was taken
 * away, `damaged` when the chain was found broken at the opening, `disturbed` when another process moved, replaced or changed
 * the file while it was in use, or removed it before.
 */
export interface FileEvent {
  readonly event: "torn" | "damaged" | "disturbed";
  readonly time: string;
  readonly message: string;
  /** File that keeps the torn line. */
  readonly file?: string;
  /** Size and SHA-256 of the torn line. */
  readonly bytes?: number;
  readonly sha256?: string;
  /** Line at which the chain is broken. */
  readonly line?: number;
}

/** The event of a torn line that is kept in a file of its own; undefined if there is no such file. */
export async function tornEvent(keptIn: string, time: string): Promise<FileEvent | undefined> {
  const torn = await ifThere(readFile(keptIn));
  if (torn === undefined) return undefined;
  const file = basename(keptIn);
  return {
    event: "torn",
    time,
    message: `a torn line of ${torn.length} bytes was cut off the end and is kept in ${file}`,
    file,
    bytes: torn.length,
    sha256: sha256(torn),
  };
}
