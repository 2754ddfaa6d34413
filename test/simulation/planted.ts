import type { EngineReply, EngineRequest } from "../../src/core/engine/transport.ts";
import type { AuditSink } from "../../src/core/records/record.ts";
import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import type { Planted } from "../../src/testing/simulation/history.ts";

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

/** A stop counts as arrived when it comes, so nothing that is old is ever history. */
function asIfNew(request: EngineRequest): EngineRequest {
  if (request.lane !== "stop" || request.context.arrived === undefined) return request;
  return { ...request, context: { ...request.context, arrived: Number.MAX_SAFE_INTEGER } };
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
    write: (record) => {
      count += 1;
      return count % 20 === 0 ? undefined : sink.write(record);
    },
  };
}

interface PlantedFault {
  readonly planted: Planted;
  /** The rule by which it is found. */
  readonly breaks: RegExp;
}

/** Faults that a simulation has to find by itself. */
export const PLANTED: Readonly<Record<string, PlantedFault>> = {
  "a resume overtakes a later halt, as only gateways keep the order": {
    planted: changing(withoutArrival),
    breaks: /no change takes effect after a stop/,
  },
  "a halt comes to life after an all clear": {
    planted: changing(asIfNew),
    breaks: /no stop takes effect after a later change|nothing is refused without a reason/,
  },
  "replies are swapped": { planted: { bus: swapping }, breaks: /no outcome is false|without a reason/ },
  "commands are carried out twice": { planted: { bus: repeating }, breaks: /nothing is carried out twice/ },
  "records are dropped": { planted: { sink: forgetful }, breaks: /has its records/ },
  "approvals are not shared between gateways": {
    planted: { ownApprovals: true },
    breaks: /without a reason: adjustPosition|has two/,
  },
};
