import { AdminApi } from "../../../src/core/admin-api.ts";
import type { EngineRequest } from "../../../src/core/engine/transport.ts";
import { AdminError } from "../../../src/core/errors.ts";
import { PERMISSIONS, principal } from "../../../src/core/principal.ts";
import { type EngineHandler, serveEngine } from "../../../src/engine/serve.ts";
import { loadInstallation } from "../../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../../src/files/package-files.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { MemoryAudit } from "../../../src/testing/memory-audit.ts";
import { type ReplyBody, replyBody } from "../../../transports/json-rpc/replies.ts";
import type { Mutation } from "../../requirements/support/endpoints.ts";
import type { Peer } from "./peer.ts";

/** Status of a reply, and what is known of the command. */
export interface Result {
  readonly status: number;
  readonly outcome: string;
}

/** The API on a scripted wire, and the engine that would answer; the clock of both is held. */
export interface FaultWorld {
  readonly peer: Peer;
  readonly clock: ManualClock;
  readonly audit: MemoryAudit;
  /** Stages of the late replies that were emitted. */
  readonly lateAnswers: string[];
  call(mutation: Mutation): Promise<Result>;
  /** What the engine makes of a request now. */
  answerOf(request: EngineRequest): ReplyBody;
  close(): Promise<void>;
}

const CHIEF = principal("chief", PERMISSIONS);

/** Puts the API on a peer. */
export async function openFaultWorld(peer: Peer): Promise<FaultWorld> {
  const clock = new ManualClock();
  const audit = new MemoryAudit();
  const handler = await engineHandler(clock);
  const api = new AdminApi({ transport: peer.transport, audit, clock });
  const lateAnswers: string[] = [];
  api.on("lateAnswer", ({ stage }) => lateAnswers.push(stage));
  return {
    peer,
    clock,
    audit,
    lateAnswers,
    call: ({ name, input }) =>
      api.call(name, input as never, CHIEF).then(
        () => ({ status: 200, outcome: "applied" }),
        (error: unknown) => {
          if (error instanceof AdminError) return { status: error.status, outcome: error.outcome };
          throw error;
        },
      ),
    answerOf: (request) => {
      const reply = handler(request);
      if (reply instanceof Promise) throw new Error("the simulated engine answers at once");
      return replyBody(reply);
    },
    close: async () => {
      await api.close();
      await peer.close();
    },
  };
}

async function engineHandler(clock: ManualClock): Promise<EngineHandler> {
  const handlers: EngineHandler[] = [];
  const engine = new SimulatedEngine(await loadInstallation(sampleInstallation()), { clock });
  await serveEngine(engine, { listen: (handler) => void handlers.push(handler) }, clock);
  const [handler] = handlers;
  if (!handler) throw new Error("the engine did not listen");
  return handler;
}
