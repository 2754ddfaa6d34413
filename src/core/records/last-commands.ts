import { BoundedMap } from "../values/bounded-map.ts";
import type { AuditRecord, AuditSink, AuditStage } from "./record.ts";

const MAX_COMMANDS = 25;

export interface LastCommand {
  /** Its `intent` record: who, when, operation, target, reason. */
  readonly intent: AuditRecord;
  /** Its latest outcome; undefined while it is in progress. */
  readonly outcome: AuditStage | undefined;
  /** Why it was not applied, or what of it was ignored. */
  readonly message: string | undefined;
}

/** The last commands that were about to be sent to the engine, by earlier audit records and those of this process. */
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
        take(this.#own, record);
        return sink.write(record);
      },
    };
  }

  /** Passes earlier records on, and notes them. */
  async *recalled(records: AsyncIterable<AuditRecord>): AsyncGenerator<AuditRecord> {
    for await (const record of records) {
      take(this.#former, record);
      yield record;
    }
  }
}

function take(commands: Map<string, LastCommand>, record: AuditRecord): void {
  const { id, stage, event, message } = record;
  const known = commands.get(id);
  if (stage === "intent") commands.set(id, { intent: record, outcome: undefined, message });
  // What the gateway notices itself has the id of a command, and is not an outcome of it.
  else if (known && event === undefined) commands.set(id, { ...known, outcome: stage, message });
}
