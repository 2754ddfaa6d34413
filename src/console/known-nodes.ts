import type { AuditRecord, AuditSink } from "../core/records/record.ts";

/** Paths that are remembered; the one that was named longest ago makes room. */
const MOST = 200;

/**
 * Remembers the nodes that were halted or resumed through this process. No operation lists the halted nodes of an engine, so a
 * console that has just been opened would not know where to look. Only names are kept: whether a node is halted is read from the
 * engine.
 */
export class KnownNodes {
  readonly #paths = new Set<string>();

  /** Projection paths, the latest last. */
  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** A sink that passes records on to `audit` and remembers the nodes that they name. */
  recordedIn(audit: AuditSink): AuditSink {
    return {
      write: (record) => {
        this.#note(record);
        return audit.write(record);
      },
    };
  }

  // An intent is enough: what became of it is read from the engine.
  #note({ stage, operation, target }: AuditRecord): void {
    if (stage !== "intent" || !target || (operation !== "haltTrading" && operation !== "resumeTrading")) return;
    this.#paths.delete(target);
    this.#paths.add(target);
    const [oldest] = this.#paths;
    if (this.#paths.size > MOST && oldest !== undefined) this.#paths.delete(oldest);
  }
}
