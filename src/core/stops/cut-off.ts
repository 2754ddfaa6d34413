import type { Gate } from "../load/gate.ts";
import type { AuditRecord } from "../records/record.ts";
import { BoundedMap } from "../values/bounded-map.ts";

/** Intents without outcome that are remembered while records are read; of more, the oldest are forgotten. */
const MAX_OPEN = 10_000;

/** Caller of the reading, for the gate. */
const READER = "earlier records";

/** Records of one piece of the work. */
const AT_A_TIME = 50;

/** How earlier records are read: at turns of the gate, and no further once that is no longer wanted. */
export interface RecordReading {
  readonly gate: Gate;
  readonly isClosed: () => boolean;
}

/**
 * Passes earlier records on. Where the process ended before it could record an outcome, this one is added: unknown. At the end
 * `onCutOff` gets the intents of which no record of these tells.
 */
export async function* withCutOff(
  records: AsyncIterable<AuditRecord>,
  reading: RecordReading,
  onCutOff: (intents: readonly AuditRecord[]) => void,
): AsyncGenerator<AuditRecord> {
  const open = new OpenIntents();
  for await (const record of atTurns(records, reading)) {
    yield record;
    for (const intent of open.add(record)) yield unknown(intent);
  }
  for (const intent of open.all) yield unknown(intent);
  if (open.all.length > 0) onCutOff(open.all);
}

/** The intents among records that have no outcome there, and of which no record tells that they were cut off. */
export async function openIntents(
  records: AsyncIterable<AuditRecord>,
  reading: RecordReading,
): Promise<readonly AuditRecord[]> {
  const open = new OpenIntents();
  for await (const record of atTurns(records, reading)) open.add(record);
  return open.all;
}

/** Those of the intents that have no outcome in any of the records, and of which none of these tells. */
export async function untold(
  intents: readonly AuditRecord[],
  records: AsyncIterable<AuditRecord>,
  reading: RecordReading,
): Promise<AuditRecord[]> {
  const left = new Map(intents.map((intent) => [intent.id, intent]));
  for await (const { id, stage, ids = [] } of atTurns(records, reading)) {
    if (stage !== "intent") left.delete(id);
    for (const told of ids) left.delete(told);
  }
  return [...left.values()];
}

async function* atTurns(records: AsyncIterable<AuditRecord>, reading: RecordReading): AsyncGenerator<AuditRecord> {
  const turns = reading.gate.turns(READER);
  let count = 0;
  for await (const record of records) {
    count += 1;
    if (count % AT_A_TIME === 0 && turns.isOver()) await turns.next();
    if (reading.isClosed()) return;
    yield record;
  }
}

class OpenIntents {
  readonly #open = new BoundedMap<string, AuditRecord>(MAX_OPEN);

  get all(): readonly AuditRecord[] {
    return [...this.#open.values()];
  }

  /** Takes the next record in; returns the intents of which it tells that they were cut off. */
  add(record: AuditRecord): AuditRecord[] {
    const told = (record.ids ?? []).flatMap((id) => this.#open.get(id) ?? []);
    for (const { id } of told) this.#open.delete(id);
    if (record.stage !== "intent") this.#open.delete(record.id);
    else this.#open.set(record.id, record);
    return told;
  }
}

function unknown(intent: AuditRecord): AuditRecord {
  return { ...intent, stage: "unknown" };
}
