import { type ChainPosition, chainLines, GENESIS, isIntact, readLink } from "../../audit/chain.ts";
import { AuditFileError } from "../../audit/disk.ts";
import { contentOf } from "../../audit/read-records.ts";
import type { AuditRecord } from "../../core/records/record.ts";
import type { Chance } from "../../engine/simulated/random.ts";
import type { Process } from "./process.ts";

const PATH = "audit.jsonl";

/** The longest that a slow disk takes for a write. */
export const SLOWEST_WRITE_MS = 6_000;

export type DiskState = "well" | "slow disk" | "full disk";

/** The disk of a gateway's machine, with one audit file; it outlives the processes that write to it. */
export class Disk {
  state: DiskState = "well";
  /** Durable content. */
  text = "";
  readonly #random: Chance;
  /** Content of the write in progress. */
  #writing: string | undefined;

  constructor(random: Chance) {
    this.#random = random;
  }

  /** Opens the file at the end of its chain, as after a crash: a torn line is cut off. */
  open(process: Process): SimulatedFile {
    this.text = this.text.slice(0, this.text.lastIndexOf("\n") + 1);
    return new SimulatedFile(this, process, this.#last());
  }

  /** The process that writes is killed: of what it was writing, the disk has some bytes. */
  tear(): void {
    const { length } = this.#writing ?? "";
    this.text += (this.#writing ?? "").slice(0, this.#random.whole(0, length));
    this.#writing = undefined;
  }

  /** Records that are in the file, without what is not a record. */
  get records(): AuditRecord[] {
    const lines = this.text.split("\n").slice(0, -1);
    return lines.flatMap((line) => {
      const content = contentOf(Buffer.from(line));
      return content && "record" in content ? [content.record] : [];
    });
  }

  /** Makes a text durable. Rejects where there is no room. */
  write(text: string, process: Process): Promise<void> {
    const random = this.#random;
    const ms = this.state === "slow disk" ? random.between(100, SLOWEST_WRITE_MS) : random.between(0.2, 3);
    this.#writing = text;
    return new Promise((resolve, reject) => {
      process.clock.schedule(ms, () => {
        this.#writing = undefined;
        if (this.state === "full disk") {
          reject(new AuditFileError(PATH, "cannot be written: no space left on device"));
          return;
        }
        this.text += text;
        resolve();
      });
    });
  }

  #last(): ChainPosition {
    const line = this.text.trimEnd().split("\n").at(-1);
    if (!line) return GENESIS;
    const link = readLink(Buffer.from(line));
    if (!isIntact(link)) throw new AuditFileError(PATH, link.problem);
    return link;
  }
}

/** The end of the chain on a {@link Disk}. */
class SimulatedFile {
  last: ChainPosition;
  readonly #disk: Disk;
  readonly #process: Process;

  constructor(disk: Disk, process: Process, last: ChainPosition) {
    this.#disk = disk;
    this.#process = process;
    this.last = last;
  }

  async append(records: readonly string[]): Promise<void> {
    const { text, at } = chainLines(this.last, records);
    await this.#disk.write(text, this.#process);
    this.last = at;
  }

  async close(): Promise<void> {}
}
