import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type PathSegment, parseProjectionPath, printProjectionPath } from "../../core/values/projection.ts";
import { NotApplicable, need } from "./applicable.ts";
import {
  casesAbout,
  cleaningUp,
  complete,
  type EngineCheck,
  type EngineClient,
  MALFORMED_PATHS,
  replyText,
} from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";
import { LAST_REASON } from "./engine-stops.ts";

const ROOT = "";

/** A text that is easily damaged. */
export const ODD_TEXT = 'Größe "≤" 限度 🛑\n\\';

function untilStatus(engine: EngineClient, projectionPath: string, halted: boolean, reason: string): Promise<void> {
  const state = halted ? "halted" : "not halted";
  return engine.shows(
    `"${projectionPath}" is ${state} with the reason ${JSON.stringify(reason)}; ${LAST_REASON}`,
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

interface HaltPaths {
  /** The landmark; the root where there is none. */
  readonly node: string;
  /** The node and all paths above it, the root last. */
  readonly all: readonly string[];
}

function haltPaths({ haltPath = ROOT }: EngineLandmarks): HaltPaths {
  const segments = parseProjectionPath(haltPath);
  const above = printProjectionPath(segments.slice(0, -1));
  return { node: haltPath, all: [...new Set([haltPath, above, ROOT])] };
}

/** Segments of the path to halt, of which there have to be at least `count`. */
function segmentsOf({ haltPath }: EngineLandmarks, count: number): PathSegment[] {
  const segments = parseProjectionPath(need(haltPath, "path to halt"));
  if (segments.length < count) throw new NotApplicable(`no path to halt of ${count} segments`);
  return segments;
}

/**
 * A check that halts. All its paths are resumed before, so that an engine that cannot resume is not halted for ever, and what is left
 * halted is resumed afterwards.
 */
function halting(
  check: (engine: EngineClient, paths: HaltPaths, landmarks: EngineLandmarks) => Promise<void>,
): EngineCheck {
  return async (engine, landmarks) => {
    const paths = haltPaths(landmarks);
    for (const path of paths.all) await resume(engine, path, "conformance begins");
    await cleaningUp(
      () => check(engine, paths, landmarks),
      async () => {
        for (const path of paths.all) {
          if (await isHalted(engine, path)) await resume(engine, path, "conformance is done");
        }
      },
    );
  };
}

async function checkOwnState(engine: EngineClient, { all }: HaltPaths, landmarks: EngineLandmarks): Promise<void> {
  segmentsOf(landmarks, 1);
  for (const path of all) {
    await halt(engine, path, "this one alone");
    for (const other of all) {
      if (other !== path) assert.equal(await isHalted(engine, other), false, `"${other}" is halted with "${path}"`);
    }
    await resume(engine, path, "this one alone");
  }
}

async function checkOrder(engine: EngineClient, { node }: HaltPaths): Promise<void> {
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
}

async function checkMalformed(engine: EngineClient): Promise<void> {
  for (const projectionPath of MALFORMED_PATHS) {
    const status = await engine.ask("getTradingStatus", { projectionPath });
    assert.ok(!status.ok, `status of "${projectionPath}" was returned: ${replyText(status)}`);
    for (const operation of ["haltTrading", "resumeTrading"] as const) {
      const input = { ...complete(operation, { reason: "malformed" }), projectionPath };
      const reply = await engine.ask(operation, input);
      assert.ok(!reply.ok, `${operation} of "${projectionPath}" was accepted`);
    }
  }
  await pause(50);
  assert.equal(await isHalted(engine, ROOT), false, "the root is halted");
}

/** Kill switch (specification, "Trading control"; decisions D-ENG 5, D-ENG 7). What a case leaves halted is resumed. */
export const tradingCases = casesAbout("trading", {
  "a path without events is not halted, has the reason null, and is spelled as it was asked": async (
    engine,
    landmarks,
  ) => {
    const segments = segmentsOf(landmarks, 1).map(({ key }) => ({ key, value: `${randomUUID()}]B/C` }));
    const projectionPath = printProjectionPath(segments);
    const status = await engine.call("getTradingStatus", { projectionPath });
    assert.deepEqual(status, { projectionPath, halted: false, reason: null });
  },
  "a halt is accepted and then seen, with its reason; a resume too": halting(async (engine, { node }) => {
    await halt(engine, node, ODD_TEXT);
    await resume(engine, node, `${ODD_TEXT} over`);
  }),
  "a halt of the root is system-wide, with cancelOrders too": halting(async (engine) => {
    const input = { projectionPath: ROOT, reason: "drill", cancelOrders: true };
    assert.equal(await engine.call("haltTrading", input), null, "result of haltTrading");
    await untilStatus(engine, ROOT, true, "drill");
  }),
  // D-ENG 7
  "the status of a path is that path's own, not that of those above or below": halting(checkOwnState),
  // D-ENG 7
  "resuming the root leaves the halts of nodes in place": halting(async (engine, { node }, landmarks) => {
    segmentsOf(landmarks, 1);
    await halt(engine, node, "node");
    await halt(engine, ROOT, "root");
    await resume(engine, ROOT, "root again");
    await untilStatus(engine, node, true, "node");
  }),
  "halting twice is not an error, the last reason counts; so is resuming what is not halted": halting(
    async (engine, { node }) => {
      await resume(engine, node, "not halted");
      await halt(engine, node, "first");
      await halt(engine, node, "second");
    },
  ),
  "halts and resumes that are sent without waiting are applied in their order": halting(checkOrder),
  "paths with the same segments in another order name the same node": halting(async (engine, { node }, landmarks) => {
    const projectionPath = printProjectionPath(segmentsOf(landmarks, 2).toReversed());
    await halt(engine, node, "one node");
    const status = await engine.call("getTradingStatus", { projectionPath });
    assert.deepEqual(status, { projectionPath, halted: true, reason: "one node" });
    await resume(engine, projectionPath, "one node again");
    assert.equal(await isHalted(engine, node), false, "the node that was resumed by its other name is halted");
  }),
  // D-VAL 3
  "a value of a path may hold / and ]": halting(async (engine, _, { oddHaltPath }) => {
    const projectionPath = need(oddHaltPath, "path to halt with / and ] in its values");
    const [first] = parseProjectionPath(projectionPath);
    await resume(engine, projectionPath, "not halted");
    await halt(engine, projectionPath, "odd names");
    if (first) assert.equal(await isHalted(engine, printProjectionPath([first])), false, "the path above is halted");
    await resume(engine, projectionPath, "odd names");
  }),
  // D-VAL 3
  "a malformed path is refused, and halts nothing": halting(checkMalformed),
});
