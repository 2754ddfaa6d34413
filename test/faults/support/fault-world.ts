import type { EngineRequest } from "../../../src/core/engine/transport.ts";
import { AdminError } from "../../../src/core/errors.ts";
import { PERMISSIONS, principal } from "../../../src/core/principal.ts";
import type { EngineBus, EngineHandler } from "../../../src/engine/serve.ts";
import { startTestRig, type TestRig } from "../../../src/testing/rig.ts";
import { type ReplyBody, replyBody } from "../../../transports/json-rpc/replies.ts";
import type { Mutation } from "../../requirements/support/endpoints.ts";
import type { Peer } from "./peer.ts";

/** Status of a reply, and what is known of the command. */
export interface Result {
  readonly status: number;
  readonly outcome: string;
}

/** The API on a scripted wire, and the engine that would answer; the clock of both is held. */
export interface FaultWorld extends TestRig {
  readonly peer: Peer;
  /** Stages of the late replies that were emitted. */
  readonly lateReplies: string[];
  call(mutation: Mutation): Promise<Result>;
  /** What the engine makes of a request now. */
  answerOf(request: EngineRequest): Promise<ReplyBody>;
}

const CHIEF = principal("chief", PERMISSIONS);

/** Puts a rig on a peer: nothing but the script there answers, with what the rig's engine makes of a request. */
export async function openFaultWorld(peer: Peer): Promise<FaultWorld> {
  let handler: EngineHandler | undefined;
  const bus: EngineBus = {
    listen: (engine) => {
      handler = engine;
    },
  };
  const rig = await startTestRig({ transport: () => ({ transport: peer.transport, bus, close: () => peer.close() }) });
  const lateReplies: string[] = [];
  rig.api.on("lateReply", ({ stage }) => lateReplies.push(stage));
  return {
    ...rig,
    peer,
    lateReplies,
    call: ({ name, input }) =>
      rig.api.call(name, input as never, CHIEF).then(
        () => ({ status: 200, outcome: "applied" }),
        (error: unknown) => {
          if (error instanceof AdminError) return { status: error.status, outcome: error.outcome };
          throw error;
        },
      ),
    answerOf: async (request) => {
      if (!handler) throw new Error("no engine was put on the bus");
      return replyBody(await handler(request));
    },
  };
}
