import assert from "node:assert/strict";
import type { Input, OperationName } from "../../core/operations.ts";
import { type EngineReply, TransportError } from "../../core/transport.ts";
import type { EngineCase } from "./engine-case.ts";
import { complete, describe, type EngineClient } from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";
import { pause } from "./patience.ts";

/** Every mutation, with an effect that a read would show. */
function mutations({ haltPath, riskTable, positions, connector, sessions }: EngineLandmarks): {
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

/** Asks for a method that no contract has; a broker may refuse it in the engine's place. */
async function askUnknownMethod(engine: EngineClient, method: string): Promise<EngineReply | TransportError> {
  try {
    return await engine.ask(method as OperationName, {});
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

const CHECKS: Readonly<Record<string, (engine: EngineClient, landmarks: EngineLandmarks) => Promise<void>>> = {
  "deadline, D-ENG 1: every mutation that comes after its deadline is rejected, and changes nothing": async (
    engine,
    landmarks,
  ) => {
    const before = await snapshot(engine, landmarks);
    for (const [name, input] of Object.entries(mutations(landmarks))) {
      const method = name as OperationName;
      const reply = await engine.ask(method, complete(method, input), Date.now() - 1_000);
      assert.ok(!reply.ok, `${name} was carried out after its deadline`);
      assert.equal(reply.refusal, "rejected", `${name} after its deadline: ${describe(reply)}`);
    }
    await pause(100);
    assert.deepEqual(await snapshot(engine, landmarks), before, "what reads show afterwards");
  },
  "deadline, D-ENG 1: a read that comes after its deadline is rejected": async (engine) => {
    const reply = await engine.ask("listServices", {}, Date.now() - 1_000);
    assert.ok(!reply.ok && reply.refusal === "rejected", `listServices after its deadline: ${describe(reply)}`);
  },
  "bad requests: an input that no gateway sends is refused, and the engine goes on": async (engine) => {
    for (const [method, input] of BAD_INPUTS) {
      const reply = await engine.ask(method, input);
      assert.ok(!reply.ok, `${method} ${JSON.stringify(input)} was answered: ${describe(reply)}`);
    }
    await engine.call("listServices", {});
  },
  "bad requests: an unknown method is not carried out, and the engine goes on": async (engine) => {
    for (const method of ["noSuchOperation", "HaltTrading"]) {
      const reply = await askUnknownMethod(engine, method);
      assert.ok(reply instanceof TransportError || !reply.ok, `${method} was answered with a result`);
    }
    await engine.call("listServices", {});
  },
  "interleaving: hundreds of requests at once are each answered, and each with its own": async (engine) => {
    const services = await engine.call("listServices", {});
    const names = Array.from({ length: 300 }, (_, index) => services[index % services.length]?.name ?? "");
    const answers = await Promise.all(names.map((name) => engine.call("getService", { name })));
    const answered = answers.map(({ name }) => name);
    assert.deepEqual(answered, names, "names of the services that were answered, compared with those asked for");
  },
};

/** The bus contract (`docs/bus.md`, "Requests"; decision D-ENG 1). */
export function contractCases(landmarks: EngineLandmarks): EngineCase[] {
  return Object.entries(CHECKS).map(([name, check]) => ({ name, check: (engine) => check(engine, landmarks) }));
}
