import assert from "node:assert/strict";
import { type EngineRefusal, TransportError } from "../../core/engine/transport.ts";
import {
  type Input,
  type OperationName,
  operationNames,
  operationRecord,
  operations,
} from "../../core/operations/table.ts";
import { parseProjectionPath, printProjectionPath } from "../../core/values/projection.ts";
import { eachApplicable, firstApplicable, NotApplicable, need } from "./applicable.ts";
import {
  complete,
  describedOperations,
  type EngineCase,
  type EngineCheck,
  type EngineClient,
  enoughTime,
  replyText,
  type TimeForReply,
} from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";
import { dropsMutations } from "./engine-lateness.ts";
import { withStop } from "./engine-stops.ts";

/** Inputs that no gateway sends, for operations that change nothing. */
const BAD_INPUTS: readonly (readonly [OperationName, unknown])[] = [
  ["getRiskTable", { projection: 7 }],
  ["listPositions", {}],
  ["getService", {}],
  ["getFixGateway", { gateway: null }],
  ["getFixSession", { gateway: ["OE1"] }],
];

/** Refusals that an engine gives to a request that it has understood. */
const UNDERSTOOD: ReadonlySet<EngineRefusal> = new Set(["rejected", "not-found"]);

const HOUR_MS = 3_600_000;

/** As on an engine whose clock is so far ahead of the gateway's: time is left, but the deadline has passed. */
function onClockAhead(): TimeForReply {
  return { deadline: Date.now() - HOUR_MS, timeLeft: HOUR_MS };
}

/** As on an engine whose clock is so far behind: none is left, but the deadline is to come. */
function onClockBehind(): TimeForReply {
  return { deadline: Date.now() + HOUR_MS, timeLeft: 0 };
}

const DAY_MS = 24 * HOUR_MS;

/** A command that arrived at its gateway yesterday, some milliseconds after a moment: whatever the engine's clock shows. */
function arrivedAfter(ms: number): TimeForReply {
  return { ...enoughTime(), arrived: Date.now() - DAY_MS + ms, arrivedWithin: 1 };
}

/** A command that arrived after all that the engine has done: a time in the future counts as now. */
function arrivedNow(): TimeForReply {
  return arrivedAfter(2 * DAY_MS);
}

function past(): TimeForReply {
  return { deadline: Date.now() - 1_000 };
}

/** A read that the engine has, with an input that it takes. */
async function anyRead(
  engine: EngineClient,
  { riskTable, positions }: EngineLandmarks,
): Promise<[OperationName, unknown]> {
  const reads: readonly (readonly [OperationName, () => unknown])[] = [
    ["listServices", () => ({})],
    ["getTradingStatus", () => ({ projectionPath: "" })],
    ["listFixGateways", () => ({})],
    ["getRiskTable", () => ({ projection: need(riskTable, "risk table").projection })],
    ["listPositions", () => ({ projection: need(positions, "position projection").projection })],
  ];
  return firstApplicable(reads, async ([name, inputOf]) => {
    const input = inputOf() as Input<typeof name>;
    await engine.call(name, input);
    return [name, complete(name, input)] as [OperationName, unknown];
  });
}

async function checkLateRead(engine: EngineClient, landmarks: EngineLandmarks): Promise<void> {
  const [name, input] = await anyRead(engine, landmarks);
  for (const time of [past(), onClockBehind()]) {
    const reply = await engine.ask(name, input, time);
    assert.ok(!reply.ok && reply.refusal === "rejected", `${name} after its deadline: ${replyText(reply)}`);
  }
}

async function checkTimeLeft(engine: EngineClient, landmarks: EngineLandmarks): Promise<void> {
  const [name, input] = await anyRead(engine, landmarks);
  const read = await engine.ask(name, input, onClockAhead());
  assert.ok(read.ok, `the read that has time left: ${replyText(read)}`);
}

async function checkStopFirst(engine: EngineClient, landmarks: EngineLandmarks): Promise<void> {
  await withStop(engine, landmarks, async (target) => {
    const stopped = await target.stop(arrivedNow());
    assert.ok(stopped.ok, `the stop: ${replyText(stopped)}`);
    for (const name of target.names) {
      const reply = await target.undo(arrivedAfter(0), name);
      assert.ok(!reply.ok, "a change that arrived before the stop that it takes back was carried out after it");
      assert.equal(reply.refusal, "stop-came-first", `a change that arrived before the stop: ${replyText(reply)}`);
    }
    await target.shows(true);
  });
}

async function checkLateStop(engine: EngineClient, landmarks: EngineLandmarks): Promise<void> {
  await withStop(engine, landmarks, async (target) => {
    const late = { ...arrivedNow(), deadline: Date.now() - DAY_MS, timeLeft: 0 };
    const carriedOut = await target.stop(late);
    assert.ok(carriedOut.ok, `a stop that nobody waits for any more: ${replyText(carriedOut)}`);
    await target.shows(true);
    await target.clear();
    const history = await target.stop(arrivedAfter(0));
    assert.ok(!history.ok, "a stop that arrived before the change that took it back was carried out after it");
    assert.equal(history.refusal, "rejected", `a stop that is history: ${replyText(history)}`);
    await target.shows(false);
  });
}

async function checkExamples(engine: EngineClient): Promise<void> {
  const reads = operationNames.filter((name) => operationRecord(operations, name).lane === "read");
  await eachApplicable(reads, async (name) => {
    const { input, output, examples } = operationRecord(operations, name);
    const reply = await engine.ask(name, input.parse(examples[0].input));
    const understood = reply.ok ? output.safeParse(reply.result).success : UNDERSTOOD.has(reply.refusal);
    assert.ok(understood, `${name} ${JSON.stringify(examples[0].input)}: ${replyText(reply)}`);
  });
}

async function checkBadInputs(engine: EngineClient, landmarks: EngineLandmarks): Promise<void> {
  await eachApplicable(BAD_INPUTS, async ([method, input]) => {
    const reply = await engine.ask(method, input);
    assert.ok(!reply.ok, `${method} ${JSON.stringify(input)} was accepted: ${replyText(reply)}`);
  });
  await anyRead(engine, landmarks);
}

async function checkUnknownMethods(engine: EngineClient, landmarks: EngineLandmarks): Promise<void> {
  for (const method of ["noSuchOperation", "HaltTrading"]) {
    const reply = await engine.askAny(method);
    if (reply instanceof TransportError) continue;
    assert.ok(!reply.ok, `${method} returned a result`);
    assert.equal(reply.refusal, "unsupported", `kind of the refusal of ${method} (${reply.message})`);
  }
  await anyRead(engine, landmarks);
}

const AT_ONCE = 300;

/** Asks for all services again and again, by their names. */
async function interleaveServices(engine: EngineClient): Promise<void> {
  const services = await engine.call("listServices", {});
  if (services.length === 0) throw new NotApplicable("no service");
  const names = Array.from({ length: AT_ONCE }, (_, index) => services[index % services.length]?.name ?? "");
  const found = await Promise.all(names.map((name) => engine.call("getService", { name })));
  const returned = found.map(({ name }) => name);
  assert.deepEqual(returned, names, "names of the services that were returned, compared with those asked for");
}

/** Asks for the state of paths that there have never been. */
async function interleavePaths(engine: EngineClient, { haltPath }: EngineLandmarks): Promise<void> {
  const segments = parseProjectionPath(need(haltPath, "path to halt"));
  const paths = Array.from({ length: AT_ONCE }, (_, index) =>
    printProjectionPath(segments.map(({ key }) => ({ key, value: `conformance ${index}` }))),
  );
  const found = await Promise.all(paths.map((projectionPath) => engine.call("getTradingStatus", { projectionPath })));
  const returned = found.map(({ projectionPath }) => projectionPath);
  assert.deepEqual(returned, paths, "paths that were returned, compared with those asked for");
}

const CHECKS: Readonly<Record<string, EngineCheck>> = {
  // D-ENG 28
  "description: what the engine says of itself conforms to its schema": async (engine) =>
    void (await describedOperations(engine)),
  // D-ENG 1
  "deadline: every mutation that comes after its deadline is rejected, and changes nothing": (engine, landmarks) =>
    dropsMutations(engine, landmarks, past),
  // D-ENG 1
  "deadline: a read that comes after its deadline is rejected": checkLateRead,
  "clock ahead: a read that has time left is carried out, though its deadline has passed by the engine's clock":
    checkTimeLeft,
  "clock ahead: a stop that has time left is carried out, though its deadline has passed by the engine's clock": (
    engine,
    landmarks,
  ) =>
    withStop(engine, landmarks, async (target) => {
      const stopped = await target.stop(onClockAhead());
      assert.ok(stopped.ok, `the stop that has time left: ${replyText(stopped)}`);
      await target.shows(true);
    }),
  "clock ahead: a change whose deadline has passed by the engine's clock is rejected, and changes nothing": (
    engine,
    landmarks,
  ) => dropsMutations(engine, landmarks, onClockAhead, ["change"]),
  "clock behind: every mutation that has no time left is rejected, though its deadline is to come": (
    engine,
    landmarks,
  ) => dropsMutations(engine, landmarks, onClockBehind),
  // D-ENG 21
  "order: a change that arrived at its gateway before a stop of its target, and comes after it, is refused":
    checkStopFirst,
  // D-ENG 21
  "order: a stop is carried out however late it comes, unless what takes it back arrived later": checkLateStop,
  "examples: every read understands its example: the result conforms, or it is refused as rejected or not found":
    checkExamples,
  "bad requests: an input that no gateway sends is refused, and the engine continues": checkBadInputs,
  // D-VAL 13
  "unsupported: a method that the engine does not have is refused as that, and the engine continues":
    checkUnknownMethods,
  "interleaving: hundreds of concurrent requests are each replied to, and each with its own reply": (
    engine,
    landmarks,
  ) => firstApplicable([interleaveServices, interleavePaths], (check) => check(engine, landmarks)),
};

/** The bus contract (`docs/engine/bus.md`, "Requests"; decision D-ENG 1). */
export const contractCases: readonly EngineCase[] = Object.entries(CHECKS).map(([name, check]) => ({ name, check }));
