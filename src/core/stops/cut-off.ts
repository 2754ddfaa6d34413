import type { Gate } from "../load/gate.ts";
import type { AuditRecord } from "../records/record.ts";

/** Intents without outcome that are remembered while records are read; of more, the oldest are forgotten. */
const MOST_OPEN = 10_000;

/** Whose turns the reading takes. */
const READER = "records of former times";

/** Records between two turns of the gate. */
const AT_A_TIME = 50;

/**
 * Passes records of former times on. Where the process ended before it could record an outcome, this one is added: unknown. At the end
 * `onCutOff` gets the intents of which no start has told before.
 */
export async function* withCutOff(
  records: AsyncIterable<AuditRecord>,
  gate: Gate,
  onCutOff: (intents: readonly AuditRecord[]) => void,
): AsyncGenerator<AuditRecord> {
  const open = new Map<string, AuditRecord>();
  let count = 0;
  for await (const record of records) {
    count += 1;
    if (count % AT_A_TIME === 0) await gate.resume(READER);
    yield record;
    yield* cutOffBefore(record, open);
    if (record.stage !== "intent") open.delete(record.id);
    else open.set(record.id, record);
    const [oldest] = open.keys();
    if (open.size > MOST_OPEN && oldest !== undefined) open.delete(oldest);
  }
  for (const intent of open.values()) yield unknown(intent);
  if (open.size > 0) onCutOff([...open.values()]);
}

/** The outcomes of intents that an earlier start has told of. */
function* cutOffBefore({ ids = [] }: AuditRecord, open: Map<string, AuditRecord>): Generator<AuditRecord> {
  for (const id of ids) {
    const intent = open.get(id);
    open.delete(id);
    if (intent) yield unknown(intent);
  }
}

function unknown(intent: AuditRecord): AuditRecord {
  return { ...intent, stage: "unknown" };
}
