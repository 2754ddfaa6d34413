import type { EngineReply, EngineRequest } from "../../core/engine/transport.ts";
import type { EngineHandler } from "../../engine/serve.ts";

/** An engine that keeps every request until the kit gives the reply, or replies by a script. */
export class ScriptedEngine {
  /** Everything that arrived, in order. */
  readonly arrivals: EngineRequest[] = [];
  readonly #counts = new Map<string, number>();
  readonly #held = new Map<string, (reply: EngineReply) => void>();
  #script: EngineHandler | undefined;

  readonly handler: EngineHandler = async (request) => {
    const { requestId } = request.context;
    this.arrivals.push(request);
    this.#counts.set(requestId, this.count(requestId) + 1);
    if (this.#script) return this.#script(request);
    return new Promise((resolve) => this.#held.set(requestId, resolve));
  };

  /** Ids of the requests that wait for a reply, oldest first. */
  get held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** The replies to the requests that come from then on; `undefined` keeps the requests. */
  replyWith(script: EngineHandler | undefined): void {
    this.#script = script;
  }

  /** Replies to a request that was kept; nothing happens when it has its reply. */
  reply(requestId: string, reply: EngineReply = echo(requestId)): void {
    this.#held.get(requestId)?.(reply);
    this.#held.delete(requestId);
  }

  /** Replies to everything that was kept. */
  replyToAll(): void {
    for (const id of this.held) this.reply(id);
  }

  count(requestId: string): number {
    return this.#counts.get(requestId) ?? 0;
  }
}

/** The reply that belongs to a request and to no other. */
export function echo(requestId: string): EngineReply {
  return { ok: true, result: { echo: requestId } };
}
