import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { sha256 } from "./chain.ts";
import { ifThere } from "./disk.ts";

/**
 * An event of the file itself, as recorded in the chain: `torn` if an incomplete line was removed after a crash, `damaged` if the chain
 * was broken at opening, `disturbed` if another process moved, replaced or changed the file while it was in use, or removed it
 * before.
 */
export interface FileEvent {
  readonly event: "torn" | "damaged" | "disturbed";
  readonly time: string;
  readonly message: string;
  /** File with the torn line. */
  readonly file?: string;
  /** Size and SHA-256 of the torn line. */
  readonly bytes?: number;
  readonly sha256?: string;
  /** Line at which the chain is broken. */
  readonly line?: number;
}

/** The event of a torn line that was saved to a file; undefined if the file does not exist. */
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
