import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Lane } from "../../core/operations/operation.ts";
import {
  type Input,
  type OperationName,
  operationNames,
  operationRecord,
  operations,
} from "../../core/operations/table.ts";
import { eachApplicable, need, whereApplicable } from "./applicable.ts";
import { complete, type EngineClient, replyText, type TimeForReply } from "./engine-client.ts";
import type { EngineLandmarks, SessionLandmark } from "./engine-fixture.ts";

type Inputs = { readonly [K in OperationName]?: () => Input<K> };

function sessionOf({ sessions }: EngineLandmarks): SessionLandmark {
  return need(sessions?.disabled?.[0] ?? sessions?.disconnected, "FIX session");
}

/** Inputs from the landmarks with which mutations have an effect that {@link snapshot} shows. */
function inputsOf(landmarks: EngineLandmarks): Inputs {
  const { haltPath: projectionPath = "", riskTable, positions, connector, algorithm } = landmarks;
  const service = () => ({ name: need(connector ?? algorithm, "service") });
  const session = () => sessionOf(landmarks);
  return {
    haltTrading: () => ({ projectionPath, reason: "too late" }),
    resumeTrading: () => ({ projectionPath, reason: "too late" }),
    updateRiskTable: () => {
      const { projection, rows } = need(riskTable, "risk table");
      const conditions = need(rows?.[0], "row to insert into a risk table");
      return { projection, commands: [{ type: "UPDATE", conditions }] };
    },
    adjustPosition: () => ({ projectionPath: need(positions?.paths?.[0], "position to adjust"), size: "4711" }),
    disableService: service,
    enableService: service,
    disableFixSession: session,
    enableFixSession: session,
    disconnectFixSession: session,
  };
}

/** State that the mutations would change, as far as the engine shows it. */
async function snapshot(engine: EngineClient, landmarks: EngineLandmarks): Promise<unknown> {
  const { haltPath: projectionPath = "", riskTable, positions, connector, algorithm } = landmarks;
  const reads: (() => Promise<unknown>)[] = [
    () => engine.call("getTradingStatus", { projectionPath }),
    () => engine.call("getRiskTable", { projection: need(riskTable, "risk table").projection }),
    async () => {
      const { projection, paths } = need(positions, "position projection");
      const listed = await engine.call("listPositions", { projection });
      return listed.find((position) => position.projection === paths?.[0])?.size;
    },
    async () => (await engine.call("getService", { name: need(connector ?? algorithm, "service") })).enabled,
    // Peers come and go by themselves.
    async () => (await engine.call("getFixSession", sessionOf(landmarks))).status === "Disabled",
  ];
  const shown: unknown[] = [];
  for (const read of reads) shown.push(await whereApplicable(read));
  return shown;
}

/** Every mutation of these lanes that the engine has is rejected when it is sent with so little time, and changes nothing. */
export async function dropsMutations(
  engine: EngineClient,
  landmarks: EngineLandmarks,
  time: () => TimeForReply,
  lanes: readonly Lane[] = ["stop", "change"],
): Promise<void> {
  const inputs: Inputs = inputsOf(landmarks);
  const before = await snapshot(engine, landmarks);
  const mutations = operationNames.filter((name) => lanes.includes(operationRecord(operations, name).lane));
  await eachApplicable(mutations, async (name) => {
    // An operation that is new here is asked with its example.
    const input = inputs[name]?.() ?? operationRecord(operations, name).examples[0].input;
    const reply = await engine.ask(name, complete(name, input as Input<typeof name>), time());
    assert.ok(!reply.ok, `${name} was carried out after its deadline`);
    assert.equal(reply.refusal, "rejected", `${name} after its deadline: ${replyText(reply)}`);
  });
  await pause(100);
  assert.deepEqual(await snapshot(engine, landmarks), before, "what reads show afterwards");
}
