import { type EngineExchange, type EngineReply, TransportError } from "../../src/core/transport.ts";

interface Waiting {
  readonly subject: string;
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: TransportError) => void;
}

/** Requests without an answer, by the token that their answer will carry. */
export class Unanswered {
  readonly #waiting = new Map<string, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  add(token: string, subject: string): EngineExchange {
    const reply = new Promise<EngineReply>((resolve, reject) => {
      this.#waiting.set(token, { subject, resolve, reject });
    });
    return { reply, abandon: () => void this.#waiting.delete(token) };
  }

  /** Answers a request; false when nobody waits for it. */
  resolve(token: string, reply: EngineReply): boolean {
    const waiting = this.#take(token);
    waiting?.resolve(reply);
    return waiting !== undefined;
  }

  /** Fails a request; false when nobody waits for it. */
  reject(token: string, error: TransportError): boolean {
    const waiting = this.#take(token);
    waiting?.reject(error);
    return waiting !== undefined;
  }

  /** Fails all requests, or those to one subject. They may have reached the engine. */
  rejectAll(message: string, subject?: string): void {
    for (const [token, waiting] of [...this.#waiting]) {
      if (subject !== undefined && waiting.subject !== subject) continue;
      this.reject(token, new TransportError("unavailable", message, { sent: true }));
    }
  }

  #take(token: string): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    return waiting;
  }
}
