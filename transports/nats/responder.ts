import type { Msg } from "@nats-io/transport-node";
import type { ReplyTime } from "../../src/core/engine/transport.ts";
import { busRecord, operations } from "../../src/core/operations/table.ts";
import { type EngineHandler, internalFailure } from "../../src/engine/serve.ts";
import { MESSAGE_FAULT_CODES } from "../json-rpc/contract.ts";
import type { OwnClock } from "../json-rpc/own-clock.ts";
import { faultBody, OVERLOADED, type ReplyBody, replyBody } from "../json-rpc/replies.ts";
import { decodeParams, MessageFault, parseMessage } from "../json-rpc/requests.ts";
import { textOf } from "./messages.ts";
import type { ServiceEndpoint } from "./micro-service.ts";

/** Limit of concurrent requests, and the additional reserve for stops. */
export interface ResponderLimits {
  readonly maxInFlight: number;
  readonly stopReserve: number;
}

/** A reply to a gateway, with the engine's time if the request asks for it. */
export interface OutgoingReply {
  readonly body: ReplyBody;
  readonly time?: ReplyTime | undefined;
}

/** Replies to every request, even if the engine fails. */
export class Responder {
  readonly #handler: EngineHandler;
  readonly #limits: ResponderLimits;
  readonly #clock: OwnClock;
  readonly #inProgress = new Set<Promise<void>>();

  constructor(handler: EngineHandler, limits: ResponderLimits, clock: OwnClock) {
    this.#handler = handler;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Hands a request over and passes the reply to `send`. */
  respond(endpoint: ServiceEndpoint, message: Msg, send: (reply: OutgoingReply) => void): void {
    this.#track(this.#replyTo(endpoint, message).then(send));
  }

  /** Resolves when all current requests have their replies. */
  async finished(): Promise<void> {
    await Promise.all(this.#inProgress);
  }

  #track(sending: Promise<void>): void {
    const sent = sending.finally(() => this.#inProgress.delete(sent));
    this.#inProgress.add(sent);
  }

  async #replyTo({ name }: ServiceEndpoint, message: Msg): Promise<OutgoingReply> {
    const { lane } = busRecord(operations, name);
    const limit = this.#limits.maxInFlight + (lane === "stop" ? this.#limits.stopReserve : 0);
    if (this.#inProgress.size >= limit) return { body: replyBody(OVERLOADED) };
    try {
      const request = decodeParams(name, parseMessage(readText(message)));
      const body = await this.#clock.hand(request, this.#handler).then(replyBody, failed);
      return { body, time: this.#clock.told(request) };
    } catch (error) {
      return { body: error instanceof MessageFault ? faultBody(error) : failed(error) };
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

function failed(error: unknown): ReplyBody {
  return replyBody(internalFailure(error));
}
