import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import { startTestRig } from "../rig.ts";
import { NotApplicable } from "./applicable.ts";
import { cleaningUp } from "./engine-client.ts";
import { ODD_TEXT } from "./engine-trading-cases.ts";
import type { WaitLimit } from "./time-limit.ts";

/** A place for audit records, empty at first, for one case of {@link auditConformance}. */
export interface AuditFixture {
  /** Opens the sink as the host does when it starts. Called again, it is the next start: what was written before is `history`. */
  start(): AuditSink | Promise<AuditSink>;
  /** Closes the sink, and frees the place. */
  close(): void | Promise<void>;
}

export interface AuditCase {
  readonly name: string;
  check(fixture: AuditFixture, timeLimit: WaitLimit): Promise<void>;
}

const RECORDS = 100;

function recordsOf(count: number): AuditRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    time: new Date(Date.UTC(2026, 0, 5) + index).toISOString(),
    stage: "denied",
    gateway: "conformance",
    user: "conformance",
    authentication: "direct",
    address: null,
    operation: "haltTrading",
    target: "Account[GOLD]",
    parameters: { projectionPath: "Account[GOLD]", reason: ODD_TEXT, cancelOrders: false },
    reason: index % 2 === 0 ? ODD_TEXT : null,
    requestId: `conformance-${index}`,
  }));
}

/** Writes records without waiting for each, and starts the sink again. */
async function restarted(
  fixture: AuditFixture,
  records: readonly AuditRecord[],
): Promise<{ sink: AuditSink; history: AsyncIterable<AuditRecord> }> {
  const before = await fixture.start();
  await Promise.all(records.map((record) => before.write(record)));
  const sink = await fixture.start();
  const { history } = sink;
  if (!history) throw new NotApplicable("no history");
  return { sink, history };
}

/** The fields of a record that another one has. */
function fieldsOf(record: AuditRecord, like: AuditRecord): unknown {
  return Object.fromEntries(Object.keys(like).map((name) => [name, record[name as keyof AuditRecord]]));
}

async function checkHistory(fixture: AuditFixture): Promise<void> {
  const written = recordsOf(RECORDS);
  const { history } = await restarted(fixture, written);
  const byId = new Map(written.map((record) => [record.id, record]));
  const found: unknown[] = [];
  for await (const record of history) {
    const like = byId.get(record.id);
    // A sink may add its own records.
    if (like) found.push(fieldsOf(record, like));
  }
  assert.deepEqual(found, written, "the history is what was written, in the order of the calls of write");
}

async function checkEnd(fixture: AuditFixture, timeLimit: WaitLimit): Promise<void> {
  const { sink, history } = await restarted(fixture, recordsOf(RECORDS));
  const later = new Set<string>();
  const read = async (): Promise<void> => {
    for await (const { id } of history) {
      assert.ok(!later.has(id), "the history has a record that was written after the start; it must end before those");
      const [record] = recordsOf(1) as [AuditRecord];
      later.add(record.id);
      await sink.write(record);
    }
  };
  await timeLimit.settled("the history ends", read());
}

async function checkForgotten(fixture: AuditFixture, timeLimit: WaitLimit): Promise<void> {
  const before = await startTestRig({ audit: await fixture.start() });
  await before.as("conformance").haltTrading({ projectionPath: "Account[GOLD]" });
  await before.close();
  const audit = await fixture.start();
  if (!audit.history) throw new NotApplicable("no history");
  const rig = await startTestRig({ audit, stopCheck: true });
  await cleaningUp(
    async () => {
      let isReported = false;
      rig.api.on("stateLost", () => {
        isReported = true;
      });
      await timeLimit.until("a halt from before the restart, which the engine has forgotten, is reported", () => {
        rig.clock.advance(500);
        return isReported;
      });
    },
    () => rig.close(),
  );
}

/** What `history` of a sink must guarantee (decision D-ENG 19). */
export const auditCases: readonly AuditCase[] = [
  { name: "history: after a restart it has every record, unchanged and in order", check: checkHistory },
  { name: "history: it ends, and has nothing that was written after the start", check: checkEnd },
  { name: "history: a halt that the engine has forgotten is reported after a restart", check: checkForgotten },
];
