import type { Msg } from "@nats-io/transport-node";
import type { MaybePromise } from "../../src/core/maybe-promise.ts";
import { operationRecord, operations } from "../../src/core/operations.ts";
import type { EngineReply } from "../../src/core/transport.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import { MESSAGE_FAULT_CODES } from "../json-rpc/codes.ts";
import { faultBody, OVERLOADED, type ReplyBody, replyBody } from "../json-rpc/replies.ts";
import { decodeParams, MessageFault, parseMessage } from "../json-rpc/requests.ts";
import type { Endpoint } from "./micro-service.ts";
import { textOf } from "./payload.ts";

/** How many requests may be under way at once, and how many stops beyond. */
export interface Limits {
  readonly maxInFlight: number;
  readonly stopReserve: number;
}

/** Turns requests into answers, whatever the engine does. */
export class Answering {
  readonly #handler: EngineHandler;
  readonly #limits: Limits;
  readonly #underWay = new Set<Promise<void>>();

  constructor(handler: EngineHandler, limits: Limits) {
    this.#handler = handler;
    this.#limits = limits;
  }

  /** Gives `send` the answer to a request: at once, or when the engine has it. */
  answer(endpoint: Endpoint, message: Msg, send: (body: ReplyBody) => void): void {
    const reply = this.#reply(endpoint, message);
    if (reply instanceof Promise) this.#track(reply.then(send));
    else send(reply);
  }

  /** Settles when what is under way now has been answered. */
  async finished(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #track(sending: Promise<void>): void {
    const sent = sending.finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  #reply({ name }: Endpoint, message: Msg): MaybePromise<ReplyBody> {
    const { lane } = operationRecord(operations, name);
    const limit = this.#limits.maxInFlight + (lane === "stop" ? this.#limits.stopReserve : 0);
    if (this.#underWay.size >= limit) return replyBody(OVERLOADED);
    try {
      const reply = this.#handler(decodeParams(name, parseMessage(readText(message))));
      return reply instanceof Promise ? reply.then(replyBody, failure) : replyBody(reply);
    } catch (error) {
      return error instanceof MessageFault ? faultBody(error) : failure(error);
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

/** An engine that fails is answered for; whether it changed anything is not known. */
export function failure(error: unknown): ReplyBody {
  const message = error instanceof Error ? error.message : String(error);
  const reply: EngineReply = { ok: false, refusal: "internal", message };
  return replyBody(reply);
}
