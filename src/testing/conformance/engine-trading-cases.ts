import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseProjectionPath, printProjectionPath } from "../../core/values/projection.ts";
import {
  cleaningUp,
  complete,
  type EngineCase,
  type EngineClient,
  MALFORMED_PATHS,
  replyText,
} from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

const ROOT = "";

const ODD_REASON = 'Größe "≤" 限度 🛑\n\\';

/** Waits until a path is halted or not, with this reason. */
function untilStatus(engine: EngineClient, projectionPath: string, halted: boolean, reason: string): Promise<void> {
  const state = halted ? "halted" : "not halted";
  return engine.shows(
    `"${projectionPath}" is ${state} with the reason ${JSON.stringify(reason)}`,
    "getTradingStatus",
    { projectionPath },
    (status) => status.halted === halted && status.reason === reason,
  );
}

async function halt(engine: EngineClient, projectionPath: string, reason: string): Promise<void> {
  assert.equal(await engine.call("haltTrading", { projectionPath, reason }), null, "result of haltTrading");
  await untilStatus(engine, projectionPath, true, reason);
}

async function resume(engine: EngineClient, projectionPath: string, reason: string): Promise<void> {
  assert.equal(await engine.call("resumeTrading", { projectionPath, reason }), null, "result of resumeTrading");
  await untilStatus(engine, projectionPath, false, reason);
}

async function isHalted(engine: EngineClient, projectionPath: string): Promise<boolean> {
  return (await engine.call("getTradingStatus", { projectionPath })).halted;
}

/** The paths that cases halt: the landmark, the path above it, the root. */
function pathsOf({ haltPath }: EngineLandmarks): readonly [string, string, string] {
  return [haltPath, printProjectionPath(parseProjectionPath(haltPath).slice(0, -1)), ROOT];
}

type Check = (engine: EngineClient, node: string, above: string) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  "a path without events is not halted, has the reason null, and is spelled as it was asked": async (engine) => {
    const projectionPath = `Symbol[${randomUUID()}]/Account[A]B/C]`;
    const status = await engine.call("getTradingStatus", { projectionPath });
    assert.deepEqual(status, { projectionPath, halted: false, reason: null });
  },
  "a halt is accepted and then seen, with its reason; a resume too": async (engine, node) => {
    await halt(engine, node, ODD_REASON);
    await resume(engine, node, `${ODD_REASON} over`);
  },
  "a halt of the root is system-wide, with cancelOrders too": async (engine) => {
    const input = { projectionPath: ROOT, reason: "drill", cancelOrders: true };
    assert.equal(await engine.call("haltTrading", input), null, "result of haltTrading");
    await untilStatus(engine, ROOT, true, "drill");
  },
  "D-ENG 7: the status of a path is that path's own, not that of those above or below": async (engine, node, above) => {
    await halt(engine, above, "above");
    for (const path of [node, ROOT]) assert.equal(await isHalted(engine, path), false, `"${path}" is halted`);
    await resume(engine, above, "above");
    await halt(engine, node, "node");
    for (const path of [above, ROOT]) assert.equal(await isHalted(engine, path), false, `"${path}" is halted`);
  },
  "D-ENG 7: resuming the root leaves the halts of nodes in place": async (engine, node) => {
    await halt(engine, node, "node");
    await halt(engine, ROOT, "root");
    await resume(engine, ROOT, "root again");
    await untilStatus(engine, node, true, "node");
  },
  "halting twice is no error, the last reason counts; so is resuming what is not halted": async (engine, node) => {
    await resume(engine, node, "not halted");
    await halt(engine, node, "first");
    await halt(engine, node, "second");
  },
  "halts and resumes that are sent without waiting are applied in their order": async (engine, node) => {
    for (const [first, second] of [
      ["resumeTrading", "haltTrading"],
      ["haltTrading", "resumeTrading"],
    ] as const) {
      const sent = Array.from({ length: 20 }, (_, index) => {
        const input = { projectionPath: node, reason: `number ${index}` };
        return engine.call(index % 2 === 0 ? first : second, input);
      });
      await Promise.all(sent);
      await untilStatus(engine, node, second === "haltTrading", "number 19");
      await pause(50);
      await untilStatus(engine, node, second === "haltTrading", "number 19");
    }
  },
  "paths with the same segments in another order name the same node": async (engine, node) => {
    await halt(engine, node, "one node");
    const projectionPath = printProjectionPath(parseProjectionPath(node).toReversed());
    const status = await engine.call("getTradingStatus", { projectionPath });
    assert.deepEqual(status, { projectionPath, halted: true, reason: "one node" });
  },
  "D-VAL 3: a value of a path may hold / and ]": async (engine) => {
    const projectionPath = "Symbol[BTC/USD]/Account[A]B]";
    await halt(engine, projectionPath, "odd names");
    assert.equal(await isHalted(engine, "Symbol[BTC/USD]"), false, "a path above is halted");
    await resume(engine, projectionPath, "odd names");
  },
  "D-VAL 3: a malformed path is refused, and halts nothing": async (engine) => {
    for (const projectionPath of MALFORMED_PATHS) {
      const reply = await engine.ask("getTradingStatus", { projectionPath });
      assert.ok(!reply.ok, `status of "${projectionPath}" was returned: ${replyText(reply)}`);
      const halts = await engine.ask("haltTrading", {
        ...complete("haltTrading", { reason: "malformed" }),
        projectionPath,
      });
      assert.ok(!halts.ok, `halt of "${projectionPath}" was accepted`);
      const resumes = await engine.ask("resumeTrading", { projectionPath, reason: "malformed" });
      assert.ok(!resumes.ok, `resume of "${projectionPath}" was accepted`);
    }
    await pause(50);
    assert.equal(await isHalted(engine, ROOT), false, "the root is halted");
  },
};

/** Kill switch (specification, "Trading control"; decisions D-ENG 5, D-ENG 7). What a case leaves halted is resumed. */
export function tradingCases(landmarks: EngineLandmarks): EngineCase[] {
  const [node, above] = pathsOf(landmarks);
  const tidy = async (engine: EngineClient): Promise<void> => {
    for (const path of pathsOf(landmarks)) await resume(engine, path, "conformance is done");
  };
  return Object.entries(CHECKS).map(([name, check]) => ({
    name: `trading: ${name}`,
    check: (engine) =>
      cleaningUp(
        () => check(engine, node, above),
        () => tidy(engine),
      ),
  }));
}
