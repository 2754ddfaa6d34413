import { expect, it, vi } from "vitest";
import { TransportError } from "../../src/core/engine/transport.ts";
import type { AuditSink } from "../../src/core/records/record.ts";
import type { FaultKind } from "../../src/testing/faults.ts";
import { startTestRig, type TestRigOptions } from "../../src/testing/rig.ts";
import { nextTurn } from "./gate-world.ts";

const CALLS = 40;

/** How many turns of the event loop pass until a count is complete. */
async function turnsUntil(count: () => number): Promise<number> {
  let turns = 0;
  for (; count() < CALLS; turns += 1) await nextTurn();
  return turns;
}

it("D-LOAD 2: changes whose records become durable together are sent in turns, others in between", async () => {
  const waiting: (() => void)[] = [];
  const audit: AuditSink = {
    write: ({ stage }) => (stage === "intent" ? new Promise((kept) => waiting.push(kept)) : undefined),
  };
  const rig = await startTestRig({ audit });
  const send = rig.bus.exchange.bind(rig.bus);
  vi.spyOn(rig.bus, "exchange").mockImplementation((request) => {
    // To send a change takes a turn's time.
    rig.clock.advance(1);
    return send(request);
  });
  const calls = Array.from({ length: CALLS }, () => rig.as("chief").resumeTrading());
  await vi.waitFor(() => expect(waiting).toHaveLength(CALLS));
  for (const kept of waiting) kept();
  expect(await turnsUntil(() => rig.received().length)).toBeGreaterThanOrEqual(4);
  await Promise.all(calls);
  await rig.close();
});

it("D-ENG 10, D-LOG 1: changes that closing the API ends are recorded when it is closed", async () => {
  const rig = await startTestRig();
  rig.gate.hold();
  const calls = Array.from({ length: 30 }, () => rig.as("chief").resumeTrading());
  const settled = Promise.allSettled(calls);
  await vi.waitFor(() => expect(rig.received()).toHaveLength(30));
  await rig.api.close();
  expect(rig.audit.stages.filter((stage) => stage === "unknown")).toHaveLength(30);
  await settled;
  await rig.close();
});

it("D-LOAD 2: requests that a lost link ends are answered in turns, others in between", async () => {
  const rig = await startTestRig();
  const lost: ((error: TransportError) => void)[] = [];
  vi.spyOn(rig.bus, "exchange").mockImplementation(() => ({
    reply: new Promise((_, reject) => lost.push(reject)),
    abandon: () => {},
  }));
  let ended = 0;
  rig.api.on("call", () => {
    ended += 1;
    rig.clock.advance(1);
  });
  const calls = Array.from({ length: CALLS }, () => rig.as("chief").getTradingStatus());
  const settled = Promise.allSettled(calls);
  await vi.waitFor(() => expect(lost).toHaveLength(CALLS));
  for (const reject of lost) reject(new TransportError("unavailable", "The link was lost", { sent: true }));
  expect(await turnsUntil(() => ended)).toBeGreaterThanOrEqual(4);
  expect((await settled).map(({ status }) => status)).toEqual(Array(CALLS).fill("rejected"));
  await rig.close();
});

it.each<[string, TestRigOptions, FaultKind | undefined]>([
  ["a reply that never comes", {}, { kind: "drop" }],
  ["an audit sink that never answers", { audit: { write: () => new Promise<void>(() => {}) } }, undefined],
])("D-ENG 1: closing waits for no more than the time of a command: %s", async (_what, options, fault) => {
  const rig = await startTestRig(options);
  if (fault) rig.faults.add(fault);
  const settled = Promise.allSettled([rig.as("chief").resumeTrading(), rig.as("chief").haltTrading()]);
  await nextTurn();
  await rig.close();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", expect.any(String)]);
});
