import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import { request as requestSecurely, Agent as SecureAgent } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { textOf } from "../tls/stores.ts";
import type { TakenTime } from "./taken-time.ts";

/** Nobody waits longer, and a test does not either. */
const TIMEOUT_MS = 5_000;

/** What happened to a request: its status, or the code of the error in place of an answer. */
export interface Reply {
  /** Joins it to the audit. */
  readonly id: string;
  readonly status: number | string;
  /** The message of an answer that is an error. */
  readonly message: string | null;
  readonly ms: number;
  /** How many of them the machine gave to others, where that is looked at. */
  readonly takenMs: number;
}

type Answer = Pick<Reply, "status" | "message">;

/** A request of a caller. */
export interface Call {
  readonly method: "GET" | "POST";
  /** Below the base path. */
  readonly path: string;
  readonly body?: string;
}

/** Whether these replies are enough. */
type Ended = (replies: readonly Reply[]) => boolean;

/** One user who asks for one thing at a time, over a connection that is kept or a new one each time. */
export class Caller {
  readonly #origin: URL;
  readonly #user: string;
  readonly #authorization: string;
  readonly #run = Math.random().toString(36).slice(2, 8);
  readonly #kept: Agent;
  readonly #machine: TakenTime | undefined;
  #count = 0;

  constructor(origin: string, user: string, authorization: string, machine?: TakenTime) {
    this.#origin = new URL(origin);
    this.#machine = machine;
    this.#user = user;
    this.#authorization = authorization;
    const options = { keepAlive: true, maxSockets: 1 };
    this.#kept = this.#isSecure ? new SecureAgent(options) : new Agent(options);
  }

  /** Sends a request; over its own connection if it is to be `fresh`. */
  async call(call: Call, fresh = false): Promise<Reply> {
    this.#count += 1;
    const id = `storm-${this.#user}-${this.#run}-${this.#count}`;
    const send = async (): Promise<Omit<Reply, "takenMs">> => {
      const began = performance.now();
      const answer = await this.#send(call, id, fresh ? false : this.#kept);
      return { id, ...answer, ms: performance.now() - began };
    };
    const { result, takenMs } = (await this.#machine?.during(send)) ?? { result: await send(), takenMs: 0 };
    return { ...result, takenMs };
  }

  /**
   * Sends a request again and again, every `everyMs` at most, until `ended` says so. One in `freshIn` has its own connection,
   * none unless that is given.
   */
  async repeat(call: Call, everyMs: number, ended: Ended, freshIn = Number.POSITIVE_INFINITY): Promise<Reply[]> {
    const replies: Reply[] = [];
    while (!ended(replies)) {
      const reply = await this.call(call, (replies.length + 1) % freshIn === 0);
      replies.push(reply);
      await pause(Math.max(0, everyMs - reply.ms));
    }
    return replies;
  }

  close(): void {
    this.#kept.destroy();
  }

  get #isSecure(): boolean {
    return this.#origin.protocol === "https:";
  }

  #send(call: Call, id: string, agent: Agent | false): Promise<Answer> {
    const { method, path, body = "" } = call;
    return new Promise((resolve) => {
      const headers = {
        authorization: this.#authorization,
        "x-request-id": id,
        ...(body !== "" && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      };
      const sent = this.#open(`/api/admin/v1${path}`, { method, agent, headers });
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(Object.assign(new Error(), { code: "no answer" })));
      sent.once("response", (response) => {
        resolve(answerOf(response));
      });
      sent.on("error", ({ code, message }: NodeJS.ErrnoException) => {
        // A kept connection may end while a request is on its way; then what changes nothing is asked for once more.
        if (code === "ECONNRESET" && sent.reusedSocket && method === "GET") resolve(this.#send(call, id, false));
        else resolve({ status: code ?? message, message: null });
      });
      sent.end(body);
    });
  }

  #open(path: string, options: RequestOptions): ClientRequest {
    const url = new URL(path, this.#origin);
    return this.#isSecure ? requestSecurely(url, { ...options, ca: textOf("root.pem") }) : request(url, options);
  }
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const status = response.statusCode ?? 0;
  try {
    const body = await text(response);
    return { status, message: status < 400 ? null : (JSON.parse(body) as { message: string }).message };
  } catch {
    return { status: "answer cut", message: null };
  }
}
