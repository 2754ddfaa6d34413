import type { Msg } from "@nats-io/transport-node";
import type { Clock } from "../../src/core/clock.ts";
import { arrived, type EngineReply } from "../../src/core/engine/transport.ts";
import { operationRecord, operations } from "../../src/core/operations/table.ts";
import { isThenable } from "../../src/core/values/basics.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import { MESSAGE_FAULT_CODES } from "../json-rpc/contract.ts";
import { faultBody, OVERLOADED, type ReplyBody, replyBody, replyTime } from "../json-rpc/replies.ts";
import { decodeParams, MessageFault, parseMessage } from "../json-rpc/requests.ts";
import { textOf } from "./messages.ts";
import type { ServiceEndpoint } from "./micro-service.ts";

/** How many requests may be under way at once, and how many stops beyond. */
export interface ResponderLimits {
  readonly maxInFlight: number;
  readonly stopReserve: number;
}

/** What is to be sent to a gateway: a reply, and the engine's time where the request asks for it. */
export interface OutgoingReply {
  readonly body: ReplyBody;
  readonly now?: number | undefined;
}

/** Turns requests into replies, whatever the engine does. */
export class Responder {
  readonly #handler: EngineHandler;
  readonly #limits: ResponderLimits;
  readonly #clock: Clock;
  readonly #underWay = new Set<Promise<void>>();

  constructor(handler: EngineHandler, limits: ResponderLimits, clock: Clock) {
    this.#handler = handler;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Gives `send` the reply to a request: at once, or when the engine has it. */
  respond(endpoint: ServiceEndpoint, message: Msg, send: (reply: OutgoingReply) => void): void {
    const reply = this.#replyTo(endpoint, message);
    if (isThenable(reply)) this.#track(reply.then(send));
    else send(reply);
  }

  /** Settles when what is under way now has its reply. */
  async finished(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #track(sending: Promise<void>): void {
    const sent = sending.finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  #replyTo({ name }: ServiceEndpoint, message: Msg): OutgoingReply | Promise<OutgoingReply> {
    const { lane } = operationRecord(operations, name);
    const limit = this.#limits.maxInFlight + (lane === "stop" ? this.#limits.stopReserve : 0);
    if (this.#underWay.size >= limit) return { body: replyBody(OVERLOADED) };
    try {
      const request = arrived(decodeParams(name, parseMessage(readText(message))), this.#clock);
      const timed = (body: ReplyBody): OutgoingReply => ({ body, now: replyTime(request, this.#clock) });
      const reply = this.#handler(request);
      return isThenable(reply) ? reply.then(replyBody, failure).then(timed) : timed(replyBody(reply));
    } catch (error) {
      return { body: error instanceof MessageFault ? faultBody(error) : failure(error) };
    }
  }
}

function readText(message: Msg): string {
  try {
    return textOf(message);
  } catch (cause) {
    throw new MessageFault(MESSAGE_FAULT_CODES.parseError, "The message is not UTF-8", { cause });
  }
}

/** The reply for an engine that fails; whether it changed anything is not known. */
export function failure(error: unknown): ReplyBody {
  const message = error instanceof Error ? error.message : String(error);
  const reply: EngineReply = { ok: false, refusal: "internal", message };
  return replyBody(reply);
}
