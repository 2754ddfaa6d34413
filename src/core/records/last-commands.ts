import { BoundedMap } from "../values/bounded-map.ts";
import { type AuditRecord, type AuditSink, type AuditStage, secondPersonOf } from "./record.ts";
import { endsWaiting } from "./waiting.ts";

const MAX_COMMANDS = 25;

/** Outcomes that leave open what a command did. */
const WITHOUT_OUTCOME: ReadonlySet<AuditStage | undefined> = new Set([undefined, "unknown", "contradicted"]);

export interface LastCommand {
  /** Its `intent` record, or that of a change which waits for a second person: who, when, operation, target, reason. */
  readonly intent: AuditRecord;
  /** Its latest outcome; `state-shown` once the engine shows a stop whose outcome was unknown. Undefined while it is in progress. */
  readonly outcome: AuditStage | undefined;
  /** Why it was not applied, or what of it was ignored. */
  readonly message: string | undefined;
}

/** The last commands that were about to be sent to the engine, or wait for a second person, by earlier audit records and those of this process. */
export class LastCommands {
  /** By audit id, the latest last. */
  readonly #former = new BoundedMap<string, LastCommand>(MAX_COMMANDS);
  readonly #own = new BoundedMap<string, LastCommand>(MAX_COMMANDS);

  /** The latest last. A process that has ended has left the outcome of its commands open. */
  get all(): readonly LastCommand[] {
    const former = [...this.#former.values()].map((known) => ({ ...known, outcome: known.outcome ?? "unknown" }));
    return [...former, ...this.#own.values()].slice(-MAX_COMMANDS);
  }

  /** Notes each record that goes to a sink. */
  noting(sink: AuditSink): AuditSink {
    return {
      write: (record) => {
        this.#take(this.#own, record);
        return sink.write(record);
      },
    };
  }

  /** Passes earlier records on, and notes them. */
  async *recalled(records: AsyncIterable<AuditRecord>): AsyncGenerator<AuditRecord> {
    for await (const record of records) {
      this.#take(this.#former, record);
      yield record;
    }
  }

  #take(commands: Map<string, LastCommand>, record: AuditRecord): void {
    const { id, stage, event, message } = record;
    if (event !== undefined) {
      this.#notice(record);
      return;
    }
    const known = commands.get(id);
    const { awaitedUntil } = secondPersonOf(record);
    if (stage === "intent" || (!known && awaitedUntil !== undefined)) {
      // An earlier record ends nothing of this process.
      this.#dropWaiting(record, commands === this.#own ? [this.#former, this.#own] : [this.#former]);
      commands.set(id, { intent: record, outcome: stage === "intent" ? undefined : stage, message });
    } else if (known) {
      commands.set(id, { ...known, outcome: stage, message });
    }
  }

  /** What the gateway notices has the id of a command, which an earlier process may have sent; it tells the outcome of one alone that had none. */
  #notice({ id, stage, message }: AuditRecord): void {
    if (stage !== "state-shown") return;
    for (const commands of [this.#former, this.#own]) {
      const known = commands.get(id);
      if (known && WITHOUT_OUTCOME.has(known.outcome)) commands.set(id, { ...known, outcome: stage, message });
    }
  }

  #dropWaiting(later: AuditRecord, from: readonly Map<string, LastCommand>[]): void {
    for (const commands of from) {
      for (const [id, { intent }] of commands)
        if (intent.stage !== "intent" && endsWaiting(intent, later)) commands.delete(id);
    }
  }
}
