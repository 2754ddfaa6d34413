import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { type EngineRefusal, type EngineReply, TransportError } from "../../core/engine/transport.ts";
import type { Lane } from "../../core/operations/operation.ts";
import {
  type Input,
  type OperationName,
  operationNames,
  operationRecord,
  operations,
} from "../../core/operations/table.ts";
import {
  cleaningUp,
  complete,
  type EngineCase,
  type EngineClient,
  enoughTime,
  replyText,
  type TimeForReply,
} from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

type Mutation = readonly [name: OperationName, input: unknown];

/** Every mutation with an input, from the landmarks where it has an effect that {@link snapshot} shows. */
function mutations(landmarks: EngineLandmarks): Mutation[] {
  const inputs = landmarkInputs(landmarks);
  return operationNames
    .map((name) => ({ name, ...operationRecord(operations, name) }))
    .filter(({ lane }) => lane !== "read")
    .map(({ name, examples }): Mutation => [name, inputs[name] ?? examples[0].input]);
}

function landmarkInputs({ haltPath, riskTable, positions, connector, sessions }: EngineLandmarks): {
  readonly [K in OperationName]?: Input<K>;
} {
  const [session] = sessions.disabled;
  const [conditions] = riskTable.rows;
  return {
    haltTrading: { projectionPath: haltPath, reason: "too late" },
    resumeTrading: { projectionPath: haltPath, reason: "too late" },
    updateRiskTable: { projection: riskTable.projection, commands: [{ type: "UPDATE", conditions }] },
    adjustPosition: { projectionPath: positions.paths[0], size: "4711" },
    disableService: { name: connector },
    enableService: { name: connector },
    disableFixSession: session,
    enableFixSession: session,
    disconnectFixSession: session,
  };
}

/** What the mutations would change. */
async function snapshot(engine: EngineClient, landmarks: EngineLandmarks): Promise<unknown> {
  const [session] = landmarks.sessions.disabled;
  const { projection, paths } = landmarks.positions;
  const positions = await engine.call("listPositions", { projection });
  const { enabled } = await engine.call("getService", { name: landmarks.connector });
  const { status } = await engine.call("getFixSession", session);
  return {
    trading: await engine.call("getTradingStatus", { projectionPath: landmarks.haltPath }),
    risk: await engine.call("getRiskTable", { projection: landmarks.riskTable.projection }),
    size: positions.find((position) => position.projection === paths[0])?.size,
    serviceIsEnabled: enabled,
    // Peers come and go by themselves.
    sessionIsDisabled: status === "Disabled",
  };
}

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

/** Asks for a method that no contract has; a broker may refuse it in the engine's place. */
async function askUnknownMethod(engine: EngineClient, method: string): Promise<EngineReply | TransportError> {
  try {
    return await engine.ask(method as OperationName, {});
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

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

/** A command that arrived at its gateway yesterday, so many milliseconds after some moment: whatever the engine's clock shows. */
function arrivedAfter(ms: number): TimeForReply {
  return { ...enoughTime(), arrived: Date.now() - DAY_MS + ms, arrivedWithin: 1 };
}

/** A command that arrived after all that the engine has done: a time in the future counts as now. */
function arrivedNow(): TimeForReply {
  return arrivedAfter(2 * DAY_MS);
}

/** Whether trading is halted there in the end, once everything that was accepted has been applied. */
function isHalted(engine: EngineClient, projectionPath: string, halted: boolean): Promise<void> {
  const input = { projectionPath };
  return engine.shows(`halted: ${halted}`, "getTradingStatus", input, (state) => state.halted === halted);
}

function past(): TimeForReply {
  return { deadline: Date.now() - 1_000 };
}

/** Every mutation of the lanes that is sent with so little time is rejected, and changes nothing. */
async function dropsMutations(
  engine: EngineClient,
  landmarks: EngineLandmarks,
  time: () => TimeForReply,
  lanes: readonly Lane[] = ["stop", "change"],
): Promise<void> {
  const before = await snapshot(engine, landmarks);
  for (const [name, input] of mutations(landmarks)) {
    if (!lanes.includes(operationRecord(operations, name).lane)) continue;
    const reply = await engine.ask(name, complete(name, input as Input<typeof name>), time());
    assert.ok(!reply.ok, `${name} was carried out after its deadline`);
    assert.equal(reply.refusal, "rejected", `${name} after its deadline: ${replyText(reply)}`);
  }
  await pause(100);
  assert.deepEqual(await snapshot(engine, landmarks), before, "what reads show afterwards");
}

const CHECKS: Readonly<Record<string, (engine: EngineClient, landmarks: EngineLandmarks) => Promise<void>>> = {
  "deadline, D-ENG 1: every mutation that comes after its deadline is rejected, and changes nothing": (
    engine,
    landmarks,
  ) => dropsMutations(engine, landmarks, past),
  "deadline, D-ENG 1: a read that comes after its deadline is rejected": async (engine) => {
    for (const time of [past(), onClockBehind()]) {
      const reply = await engine.ask("listServices", {}, time);
      assert.ok(!reply.ok && reply.refusal === "rejected", `listServices after its deadline: ${replyText(reply)}`);
    }
  },
  "clock ahead: a stop or a read that has time left is carried out, though its deadline has passed by the engine's clock":
    async (engine, { haltPath: projectionPath }) => {
      const is = (halted: boolean): Promise<void> =>
        engine.shows(
          `the path shows halted: ${halted}`,
          "getTradingStatus",
          { projectionPath },
          (it) => it.halted === halted,
        );
      await cleaningUp(
        async () => {
          const halt = complete("haltTrading", { projectionPath });
          const halted = await engine.ask("haltTrading", halt, onClockAhead());
          assert.ok(halted.ok, `the halt that has time left: ${replyText(halted)}`);
          await is(true);
          const read = await engine.ask("listServices", {}, onClockAhead());
          assert.ok(read.ok, `the read that has time left: ${replyText(read)}`);
        },
        async () => {
          await engine.call("resumeTrading", { projectionPath });
          await is(false);
        },
      );
    },
  "clock ahead: a change whose deadline has passed by the engine's clock is rejected, and changes nothing": (
    engine,
    landmarks,
  ) => dropsMutations(engine, landmarks, onClockAhead, ["change"]),
  "clock behind: every mutation that has no time left is rejected, though its deadline is to come": (
    engine,
    landmarks,
  ) => dropsMutations(engine, landmarks, onClockBehind),
  "order, D-ENG 21: a change that arrived at its gateway before a stop of its target, and comes after it, is refused":
    async (engine, { haltPath }) => {
      const path = haltPath.split("/").toReversed().join("/");
      const input = complete("haltTrading", { projectionPath: haltPath });
      await cleaningUp(
        async () => {
          const halted = await engine.ask("haltTrading", input, arrivedNow());
          assert.ok(halted.ok, `the halt: ${replyText(halted)}`);
          for (const projectionPath of [haltPath, path]) {
            const resume = complete("resumeTrading", { projectionPath });
            const reply = await engine.ask("resumeTrading", resume, arrivedAfter(0));
            assert.ok(
              !reply.ok,
              `resumption of ${projectionPath}, which arrived before the halt, was carried out after it`,
            );
            assert.equal(
              reply.refusal,
              "stop-came-first",
              `resumption that arrived before the halt: ${replyText(reply)}`,
            );
          }
          await isHalted(engine, haltPath, true);
        },
        async () => {
          await engine.call("resumeTrading", { projectionPath: haltPath });
          await isHalted(engine, haltPath, false);
        },
      );
    },
  "order, D-ENG 21: a stop is carried out however late it comes, unless a resumption of its target arrived later":
    async (engine, { haltPath: projectionPath }) => {
      const halt = complete("haltTrading", { projectionPath });
      const late = { ...arrivedNow(), deadline: Date.now() - DAY_MS, timeLeft: 0 };
      const carriedOut = await engine.ask("haltTrading", halt, late);
      assert.ok(carriedOut.ok, `a halt that nobody waits for any more: ${replyText(carriedOut)}`);
      await isHalted(engine, projectionPath, true);
      await engine.call("resumeTrading", { projectionPath });
      await isHalted(engine, projectionPath, false);
      const history = await engine.ask("haltTrading", halt, arrivedAfter(0));
      assert.ok(!history.ok, "a halt that arrived before the resumption was carried out after it");
      assert.equal(history.refusal, "rejected", `a halt that is history: ${replyText(history)}`);
      await isHalted(engine, projectionPath, false);
    },
  "examples: every read understands its example: the result conforms, or it is refused as rejected or not found":
    async (engine) => {
      for (const name of operationNames) {
        const { lane, input, output, examples } = operationRecord(operations, name);
        if (lane !== "read") continue;
        const reply = await engine.ask(name, input.parse(examples[0].input));
        const understood = reply.ok ? output.safeParse(reply.result).success : UNDERSTOOD.has(reply.refusal);
        assert.ok(understood, `${name} ${JSON.stringify(examples[0].input)}: ${replyText(reply)}`);
      }
    },
  "bad requests: an input that no gateway sends is refused, and the engine goes on": async (engine) => {
    for (const [method, input] of BAD_INPUTS) {
      const reply = await engine.ask(method, input);
      assert.ok(!reply.ok, `${method} ${JSON.stringify(input)} was accepted: ${replyText(reply)}`);
    }
    await engine.call("listServices", {});
  },
  "unsupported, D-VAL 13: a method that the engine does not have is refused as that, and the engine goes on": async (
    engine,
  ) => {
    for (const method of ["noSuchOperation", "HaltTrading"]) {
      const reply = await askUnknownMethod(engine, method);
      if (reply instanceof TransportError) continue;
      assert.ok(!reply.ok, `${method} returned a result`);
      assert.equal(reply.refusal, "unsupported", `kind of the refusal of ${method} (${reply.message})`);
    }
    await engine.call("listServices", {});
  },
  "interleaving: hundreds of requests at once are each replied to, and each with its own reply": async (engine) => {
    const services = await engine.call("listServices", {});
    const names = Array.from({ length: 300 }, (_, index) => services[index % services.length]?.name ?? "");
    const found = await Promise.all(names.map((name) => engine.call("getService", { name })));
    const returned = found.map(({ name }) => name);
    assert.deepEqual(returned, names, "names of the services that were returned, compared with those asked for");
  },
};

/** The bus contract (`docs/engine/bus.md`, "Requests"; decision D-ENG 1). */
export function contractCases(landmarks: EngineLandmarks): EngineCase[] {
  return Object.entries(CHECKS).map(([name, check]) => ({ name, check: (engine) => check(engine, landmarks) }));
}
