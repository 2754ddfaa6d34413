import { LineFollower } from "./line-follower.ts";
import { contentOf, type FiledRecord, type UnreadableLine } from "./read-records.ts";

/** Reads new records of an audit trail, across rotations. */
export class TrailFollower {
  readonly #lines: LineFollower;
  readonly #onUnreadable: (line: UnreadableLine) => void;
  #lastSeq: number;

  /** Follows the trail whose current file is `path`, from the record after `lastSeq` on. */
  constructor(path: string, lastSeq: number, onUnreadable: (line: UnreadableLine) => void) {
    this.#lastSeq = lastSeq;
    this.#lines = new LineFollower(path, { lastSeq: () => this.#lastSeq });
    this.#onUnreadable = onUnreadable;
  }

  /** Returns the records added since the last call; none if the current file does not exist. */
  async read(): Promise<FiledRecord[]> {
    const records: FiledRecord[] = [];
    for (let line = await this.#lines.next(); line; line = await this.#lines.next()) {
      const { bytes, file, number } = line;
      const content = contentOf(bytes);
      if (content === undefined) continue;
      if ("problem" in content) this.#onUnreadable({ file, line: number, problem: content.problem });
      else if (content.seq > this.#lastSeq) {
        records.push(content);
        this.#lastSeq = content.seq;
      }
    }
    return records;
  }

  close(): Promise<void> {
    return this.#lines.close();
  }
}
