import type { EngineReply, EngineRequest } from "../../src/core/engine/transport.ts";
import type { AuditSink } from "../../src/core/records/record.ts";
import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import type { Planted } from "../../src/testing/simulation/history.ts";
import type { Plan, PlannedEvent } from "../../src/testing/simulation/plan.ts";

/** Changes what comes to the engine. */
function changing(change: (request: EngineRequest) => EngineRequest): Planted {
  return { bus: (bus) => ({ listen: (handler) => bus.listen((request) => handler(change(request))) }) };
}

/** A change counts as arrived when it comes, so only the gateway that sends it can know what it overtakes. */
function withoutArrival(request: EngineRequest): EngineRequest {
  if (request.lane !== "change") return request;
  const { arrived: _, arrivedWithin: __, ...context } = request.context;
  return { ...request, context };
}

/** A stop that is history is carried out all the same, as if it had arrived only now. */
function resurrecting(bus: EngineBus): EngineBus {
  const again =
    (handler: EngineHandler): EngineHandler =>
    async (request) => {
      const reply = await handler(request);
      const isHistory = request.lane === "stop" && !reply.ok && reply.message.includes("arrived after this stop");
      const { arrived: _, arrivedWithin: __, ...context } = request.context;
      return isHistory ? handler({ ...request, context }) : reply;
    };
  return { listen: (handler) => bus.listen(again(handler)) };
}

/** All commands go to one gateway. */
function withOneGateway(plan: Plan): Plan {
  const [first = 0] = plan.aheadMs;
  const toFirst = (event: PlannedEvent): PlannedEvent => {
    if ("gateway" in event) return { ...event, gateway: 0 };
    return "process" in event && event.process !== "engine" ? { ...event, process: 0 } : event;
  };
  return { ...plan, gateways: 1, aheadMs: [first, plan.aheadMs.at(-1) ?? 0], events: plan.events.map(toFirst) };
}

/** Of each ten commands one has the reply of the command before. */
function swapping(bus: EngineBus): EngineBus {
  let count = 0;
  let last: EngineReply | undefined;
  const swapped =
    (handler: EngineHandler): EngineHandler =>
    async (request) => {
      const reply = await handler(request);
      if (request.lane === "read") return reply;
      count += 1;
      const given = count % 10 === 0 && last ? last : reply;
      last = reply;
      return given;
    };
  return { listen: (handler) => bus.listen(swapped(handler)) };
}

/** One command in five comes twice. */
function repeating(bus: EngineBus): EngineBus {
  let count = 0;
  const twice =
    (handler: EngineHandler): EngineHandler =>
    (request) => {
      count += 1;
      if (request.lane !== "read" && count % 5 === 0) void handler(request);
      return handler(request);
    };
  return { listen: (handler) => bus.listen(twice(handler)) };
}

/** One record in twenty is said to be kept, and is not. */
function forgetful(sink: AuditSink): AuditSink {
  let count = 0;
  return {
    history: sink.history,
    write: (record) => {
      count += 1;
      return count % 20 === 0 ? undefined : sink.write(record);
    },
  };
}

interface PlantedFault {
  readonly planted: Planted;
  /** A history in which it shows. */
  readonly seed: number;
  /** The rule by which it is found. */
  readonly breaks: string;
}

/** Faults that a simulation has to find by itself. */
export const PLANTED: Readonly<Record<string, PlantedFault>> = {
  "a resume overtakes a later halt, as only gateways keep the order": {
    seed: 48,
    planted: changing(withoutArrival),
    breaks: "no change takes effect after a stop that arrived later",
  },
  "a resume overtakes a later halt within one gateway": {
    seed: 123,
    planted: { ...changing(withoutArrival), plan: withOneGateway },
    breaks: "no change takes effect after a stop that arrived later",
  },
  "a halt comes to life after an all clear": {
    seed: 1,
    planted: { bus: resurrecting },
    breaks: "no stop takes effect after a later change that undoes it",
  },
  "replies are swapped": { seed: 5, planted: { bus: swapping }, breaks: "no outcome is false" },
  "commands are carried out twice": { seed: 1, planted: { bus: repeating }, breaks: "nothing is carried out twice" },
  "records are dropped": {
    seed: 1,
    planted: { sink: forgetful },
    breaks: "every command that reached the engine has its records",
  },
  "approvals are not shared between gateways": {
    seed: 13,
    planted: { ownApprovals: true },
    breaks: "the consent of a second person counts, whichever gateway they reach",
  },
};
