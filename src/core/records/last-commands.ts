import type { Clock } from "../clock.ts";
import { type AuditRecord, type AuditSink, type AuditStage, secondPersonOf } from "./record.ts";
import { endsWaiting, MAX_REQUESTS_PER_USER, waitsIn } from "./waiting.ts";

/** Commands beside those that wait for a second person. */
const MAX_COMMANDS = 25;

/** Of all users together. */
const MAX_WAITING = 500;

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

export interface LastCommandsOptions {
  readonly clock: Clock;
  /** Is told of requests that waited in the memory of a process that has ended. */
  readonly onLapsed: (requests: readonly AuditRecord[]) => Promise<unknown>;
}

/**
 * The last commands that were about to be sent to the engine, and all that wait for a second person, by earlier audit records and those of this
 * process. However many commands others send, whoever confirms a request has to find it.
 */
export class LastCommands {
  readonly #options: LastCommandsOptions;
  /** By audit id, the latest last. */
  readonly #former = new Map<string, LastCommand>();
  readonly #own = new Map<string, LastCommand>();

  constructor(options: LastCommandsOptions) {
    this.#options = options;
  }

  /** The latest last. A process that has ended has left the outcome of its commands open. */
  get all(): readonly LastCommand[] {
    const lapsed = new Set(this.#lapsed());
    const former = [...this.#former.values()]
      .filter(({ intent }) => !lapsed.has(intent))
      .map((known) => ({ ...known, outcome: known.outcome ?? "unknown" }));
    return this.#kept([...former, ...this.#own.values()]);
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
    const lapsed = this.#lapsed();
    for (const { id } of lapsed) this.#former.delete(id);
    if (lapsed.length > 0) await this.#options.onLapsed(lapsed);
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
      // Not each time: all of a long trail are taken.
      if (commands.size % MAX_COMMANDS === 0) this.#forgetOldest(commands);
    } else if (known) {
      commands.set(id, { ...known, outcome: stage, message });
    }
  }

  /** What the gateway notices has the id of a command, which an earlier process may have sent; it tells the outcome of one alone that had none. */
  #notice({ id, stage, message, ids = [] }: AuditRecord): void {
    if (stage === "lapsed") for (const lapsed of ids) this.#former.delete(lapsed);
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

  /** Requests of processes that have ended, with their memory. */
  #lapsed(): AuditRecord[] {
    const former = [...this.#former.values()].map(({ intent }) => intent);
    return former.filter((intent) => this.#isWaiting(intent) && waitsIn(intent) === "memory");
  }

  #forgetOldest(commands: Map<string, LastCommand>): void {
    const kept = new Set(this.#kept([...commands.values()]));
    for (const [id, command] of commands) if (!kept.has(command)) commands.delete(id);
  }

  /** The latest, of those that wait, of those of each user that wait, and of the others. */
  #kept(commands: readonly LastCommand[]): LastCommand[] {
    const waiting = new Map<string | null, number>();
    const counts = { waiting: 0, others: 0 };
    const latestFirst = [...commands].reverse().filter(({ intent }) => {
      if (!this.#isWaiting(intent)) return ++counts.others <= MAX_COMMANDS;
      const ofUser = (waiting.get(intent.user) ?? 0) + 1;
      waiting.set(intent.user, ofUser);
      return ofUser <= MAX_REQUESTS_PER_USER && ++counts.waiting <= MAX_WAITING;
    });
    return latestFirst.reverse();
  }

  #isWaiting(intent: AuditRecord): boolean {
    const { awaitedUntil } = secondPersonOf(intent);
    return (
      intent.stage !== "intent" && awaitedUntil !== undefined && Date.parse(awaitedUntil) > this.#options.clock.now()
    );
  }
}
