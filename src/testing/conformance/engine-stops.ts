import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { EngineReply } from "../../core/engine/transport.ts";
import type { Input, OperationName } from "../../core/operations/table.ts";
import { parseProjectionPath, printProjectionPath } from "../../core/values/projection.ts";
import { firstApplicable, need } from "./applicable.ts";
import { cleaningUp, complete, type EngineClient, enoughTime, replyText, type TimeForReply } from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

/** A stop, the change that takes it back, and what shows which of them was the last. */
interface Reversible {
  readonly stop: OperationName;
  readonly undo: OperationName;
  /** Inputs that name the same target, in every way there is. */
  readonly inputs: readonly object[];
  state(engine: EngineClient): Promise<State>;
}

/** For an engine that keeps the reasons of halts alone (specification, "Kill switch state"). */
export const LAST_REASON = "a status has the reason of the last halt or resume, whichever came later";

/** Whether a target is stopped; the reason of the last command where the engine shows it, and undefined where none ever does. */
interface State {
  readonly stopped: boolean;
  readonly reason?: string | null;
}

/** A halt, the most usual of stops: of the root where there is no other path. */
function halt({ haltPath = "" }: EngineLandmarks): Reversible {
  const reversed = printProjectionPath(parseProjectionPath(haltPath).toReversed());
  const paths = [...new Set([haltPath, reversed])];
  return {
    stop: "haltTrading",
    undo: "resumeTrading",
    inputs: paths.map((projectionPath) => ({ projectionPath })),
    state: async (engine) => {
      const { halted, reason } = await engine.call("getTradingStatus", { projectionPath: haltPath });
      return { stopped: halted, reason };
    },
  };
}

function serviceStop({ connector, algorithm }: EngineLandmarks): Reversible {
  const name = need(connector ?? algorithm, "service");
  return {
    stop: "disableService",
    undo: "enableService",
    inputs: [{ name }],
    state: async (engine) => ({ stopped: !(await engine.call("getService", { name })).enabled }),
  };
}

function sessionStop({ sessions }: EngineLandmarks): Reversible {
  const [session] = need(sessions?.disabled, "FIX session to disable");
  const name = need(session, "FIX session to disable");
  return {
    stop: "disableFixSession",
    undo: "enableFixSession",
    inputs: [name],
    state: async (engine) => ({ stopped: (await engine.call("getFixSession", name)).status === "Disabled" }),
  };
}

/** The first kind of stop that the engine under test can do and take back, for what holds of all of them. */
export class StopUnderTest {
  readonly #engine: EngineClient;
  readonly #reversible: Reversible;

  constructor(engine: EngineClient, reversible: Reversible) {
    this.#engine = engine;
    this.#reversible = reversible;
  }

  /** How many ways there are to name the target. */
  get names(): readonly number[] {
    return this.#reversible.inputs.map((_, index) => index);
  }

  stop(time: TimeForReply = enoughTime()): Promise<EngineReply> {
    return this.#ask(this.#reversible.stop, time, this.#reversible.inputs[0]);
  }

  /** Asks to take it back; `named` is the way in which the target is named. */
  undo(time: TimeForReply = enoughTime(), named = 0): Promise<EngineReply> {
    return this.#ask(this.#reversible.undo, time, this.#reversible.inputs[named]);
  }

  /** Waits until the target is stopped or not, once everything that was accepted has been applied. */
  shows(stopped: boolean): Promise<void> {
    return this.#until(stopped ? "stopped" : "not stopped", (state) => state.stopped === stopped);
  }

  /**
   * Takes the stop back, which has to work. Waits for the reason of this very command where one is shown: what was not stopped looks taken back
   * before the command is applied.
   */
  async clear(): Promise<void> {
    const { undo, inputs, state } = this.#reversible;
    const showsReason = (await state(this.#engine)).reason !== undefined;
    const reason = `conformance ${randomUUID()}`;
    const reply = await this.#ask(undo, enoughTime(), { ...inputs[0], ...(showsReason && { reason }) });
    assert.ok(reply.ok, `${undo} was refused: ${replyText(reply)}`);
    const withReason = showsReason ? `, with the reason ${JSON.stringify(reason)}; ${LAST_REASON}` : "";
    await this.#until(
      `not stopped${withReason}`,
      (shown) => !shown.stopped && (!showsReason || shown.reason === reason),
    );
  }

  #until(stopped: string, holds: (state: State) => boolean): Promise<void> {
    const { stop, inputs, state } = this.#reversible;
    const what = `the target of ${stop} ${JSON.stringify(inputs[0])} is ${stopped}`;
    return this.#engine.timeLimit.untilRead(what, () => state(this.#engine), holds);
  }

  #ask(name: OperationName, time: TimeForReply, input: unknown): Promise<EngineReply> {
    return this.#engine.ask(name, complete(name, input as Input<typeof name>), time);
  }
}

/** Checks the first stop that applies, which is taken back before, to see that it can be, and afterwards. */
export function withStop(
  engine: EngineClient,
  landmarks: EngineLandmarks,
  check: (target: StopUnderTest) => Promise<void>,
): Promise<void> {
  return firstApplicable([halt, serviceStop, sessionStop], async (reversible) => {
    const target = new StopUnderTest(engine, reversible(landmarks));
    await target.clear();
    await cleaningUp(
      () => check(target),
      () => target.clear(),
    );
  });
}
