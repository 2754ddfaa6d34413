import { Decimal } from "decimal.js";
import type { EngineContext } from "../../src/core/engine/transport.ts";
import type { EngineInput, Output } from "../../src/core/operations/table.ts";
import { parseProjectionPath } from "../../src/core/values/projection.ts";
import { type EngineBus, serveEngine } from "../../src/engine/serve.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";

/** Applies the commands of an update until one is rejected. */
export class AppliesHalf extends SimulatedEngine {
  override updateRiskTable({ projection, commands }: EngineInput<"updateRiskTable">): Output<"updateRiskTable"> {
    for (const command of commands) super.updateRiskTable({ projection, commands: [command] });
    return super.getRiskTable({ projection });
  }
}

/** Describes itself in other words than those of the schema. */
export class MisdescribesItself extends SimulatedEngine {
  override describeEngine(): ReturnType<SimulatedEngine["describeEngine"]> {
    return { ...super.describeEngine(), operations: "all" } as never;
  }
}

/** Takes an INSERT of a row that exists for an UPDATE. */
export class Upserts extends SimulatedEngine {
  override updateRiskTable({ projection, commands }: EngineInput<"updateRiskTable">): Output<"updateRiskTable"> {
    const upserts = commands.map((command) =>
      command.type === "INSERT" ? { ...command, type: "UPDATE" as const } : command,
    );
    return super.updateRiskTable({ projection, commands: upserts });
  }
}

/** Keeps the reasons of halts alone. */
export class ForgetsReasons extends SimulatedEngine {
  override getTradingStatus(input: EngineInput<"getTradingStatus">): Output<"getTradingStatus"> {
    const status = super.getTradingStatus(input);
    return status.halted ? status : { ...status, reason: null };
  }
}

/** Sets the limits that an UPDATE does not name to unlimited. */
export class ReplacesRows extends SimulatedEngine {
  override updateRiskTable({ projection, commands }: EngineInput<"updateRiskTable">): Output<"updateRiskTable"> {
    const columns = Object.keys(super.getRiskTable({ projection }).rows[0]?.limits ?? {});
    const unlimited = Object.fromEntries(columns.map((name) => [name, null]));
    const whole = commands.map((command) =>
      command.type === "UPDATE" ? { ...command, limits: { ...unlimited, ...command.limits } } : command,
    );
    return super.updateRiskTable({ projection, commands: whole });
  }
}

/** Says yes to services that it does not have. */
export class KnowsAllServices extends SimulatedEngine {
  override disableService(input: EngineInput<"disableService">): null {
    const known = super.listServices().some(({ name }) => name === input.name);
    return known ? super.disableService(input) : null;
  }
}

/** Takes a halt above for one of all that is below. */
export class InheritsHalts extends SimulatedEngine {
  override getTradingStatus(input: EngineInput<"getTradingStatus">): Output<"getTradingStatus"> {
    const own = super.getTradingStatus(input);
    const [first] = parseProjectionPath(input.projectionPath);
    if (!first || own.halted) return own;
    const above = super.getTradingStatus({ projectionPath: `${first.key}[${first.value}]` });
    return { ...own, halted: above.halted };
  }
}

/** Resumes everything together with the root. */
export class ResumesAll extends SimulatedEngine {
  readonly #halted = new Set<string>();

  override haltTrading(input: EngineInput<"haltTrading">): null {
    this.#halted.add(input.projectionPath);
    return super.haltTrading(input);
  }

  override resumeTrading(input: EngineInput<"resumeTrading">): null {
    if (input.projectionPath !== "") return super.resumeTrading(input);
    for (const projectionPath of [...this.#halted, ""]) super.resumeTrading({ ...input, projectionPath });
    return null;
  }
}

/** Holds sizes as binary floating-point numbers. */
export class LosesDigits extends SimulatedEngine {
  override adjustPosition(input: EngineInput<"adjustPosition">): null {
    return super.adjustPosition({ ...input, size: BigInt(Math.trunc(Number(input.size))).toString() });
  }
}

/** Adds as decimal.js does by default, which rounds to 20 digits. */
export class RoundsSums extends SimulatedEngine {
  override adjustPosition(input: EngineInput<"adjustPosition">): null {
    if (!input.relative) return super.adjustPosition(input);
    const [projection, path] = [parseProjectionPath(input.projectionPath), input.projectionPath];
    const rows = super.listPositions({
      projection: projection.map(({ key }) => key).join("/"),
    }) as Output<"listPositions">;
    const size = rows.find((row) => row.projection === path)?.size ?? "0";
    return super.adjustPosition({ ...input, relative: false, size: new Decimal(size).plus(input.size).toFixed() });
  }
}

/** Leaves out what it does not know, in place of null. */
export class LeavesOutNulls extends SimulatedEngine {
  override getFixGateway(input: EngineInput<"getFixGateway">): Output<"getFixGateway"> {
    const { sessions: _, ...others } = super.getFixGateway(input);
    return others as Output<"getFixGateway">;
  }
}

/** Adds where it should replace. */
export class AlwaysAdds extends SimulatedEngine {
  override adjustPosition(input: EngineInput<"adjustPosition">): null {
    return super.adjustPosition({ ...input, relative: true });
  }
}

/** Ignores the filters of a request. */
export class IgnoresFilters extends SimulatedEngine {
  override listPositions({ projection }: EngineInput<"listPositions">): ReturnType<SimulatedEngine["listPositions"]> {
    return super.listPositions({ projection });
  }
}

/** Answers what was asked and not what is. */
export class EchoesCommands extends SimulatedEngine {
  override disableFixSession(input: EngineInput<"disableFixSession">): Output<"disableFixSession"> {
    const none = { localIp: null, localPort: null, remoteIp: null, remotePort: null };
    return { ...super.getFixSession(input), ...none, status: "Disabled", disconnectTimestamp: 1 };
  }
}

/** Disables a session that is to be disconnected. */
export class DisablesForDisconnect extends SimulatedEngine {
  override disconnectFixSession(
    input: EngineInput<"disconnectFixSession">,
  ): ReturnType<SimulatedEngine["disableFixSession"]> {
    return super.disableFixSession(input);
  }
}

/** Answers a session with a number as text. */
export class BreaksSchema extends SimulatedEngine {
  override getFixGateway(input: EngineInput<"getFixGateway">): Output<"getFixGateway"> {
    return { ...super.getFixGateway(input), sessions: "3" as unknown as number };
  }
}

/** Takes what is not a path for the root. */
export class TakesAnyPath extends SimulatedEngine {
  override haltTrading(input: EngineInput<"haltTrading">): null {
    try {
      return super.haltTrading(input);
    } catch {
      // The fault to be found: whatever was wrong, the reply is that all is well.
      return super.haltTrading({ ...input, projectionPath: "" });
    }
  }
}

/** Says yes and does nothing. */
export class OnlyAcknowledges extends SimulatedEngine {
  override disableService(input: EngineInput<"disableService">): null {
    super.getService(input);
    return null;
  }
}

/** Adjusts two nodes where one was named. */
export class AdjustsNeighbours extends SimulatedEngine {
  override adjustPosition(input: EngineInput<"adjustPosition">): null {
    for (const projectionPath of DEMO_LANDMARKS.positions.paths) super.adjustPosition({ ...input, projectionPath });
    return null;
  }
}

/** Takes `NaN` for nothing. */
export class ForgetsNaN extends SimulatedEngine {
  override adjustPosition({ averageCost, ...input }: EngineInput<"adjustPosition">): null {
    return super.adjustPosition(averageCost === "NaN" ? input : { ...input, averageCost });
  }
}

/** Puts an engine on a bus that fails at a method which it does not have. */
export async function serveFailing(engine: SimulatedEngine, bus: EngineBus): Promise<void> {
  const failing: EngineBus = {
    listen: (handler) =>
      bus.listen(async (request) =>
        request.method in engine
          ? handler(request)
          : { ok: false, refusal: "internal", message: "undefined is not a function" },
      ),
  };
  await serveEngine(engine, failing);
}

/** Puts an engine on a bus, and lets every other request be overtaken. */
export async function serveOutOfOrder(engine: SimulatedEngine, bus: EngineBus): Promise<void> {
  let count = 0;
  const reordering: EngineBus = {
    listen: (handler) =>
      bus.listen(async (request) => {
        count += 1;
        if (count % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        return handler(request);
      }),
  };
  await serveEngine(engine, reordering);
}

/** Puts an engine on a bus that changes what requests say of time. */
function serveChanging(change: (context: EngineContext) => Partial<EngineContext>) {
  return async (engine: SimulatedEngine, bus: EngineBus): Promise<void> => {
    const changing: EngineBus = {
      listen: (handler) =>
        bus.listen(({ context, ...request }) => handler({ ...request, context: { ...context, ...change(context) } })),
    };
    await serveEngine(engine, changing);
  };
}

/** Looks at no deadline. */
export const serveLate = serveChanging(() => ({ deadline: Number.MAX_SAFE_INTEGER }));

/** Looks at the deadline alone, as engines did before there was anything else. */
export const serveByDeadline = serveChanging(() => ({ timeLeft: undefined }));

/** Looks at the time left alone, where it is given. */
export const serveByTimeLeft = serveChanging(({ deadline, timeLeft }) => ({
  deadline: timeLeft === undefined ? deadline : Number.MAX_SAFE_INTEGER,
}));
