// #region transport
import type { MessagePort } from "node:worker_threads";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  TransportError,
} from "trading-admin-api/extend";

interface Pending {
  resolve(reply: EngineReply): void;
  reject(error: TransportError): void;
}

/** Requests that may be in progress, and those of stops beyond. */
const CAPACITY = 512;
const STOP_RESERVE = 64;

/** The way to an engine in a worker thread, over a `MessagePort`. */
export class WorkerTransport implements EngineTransport {
  state: EngineTransport["state"] = "down";
  readonly #port: MessagePort;
  readonly #pending = new Map<number, Pending>();
  #count = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", ({ id, reply }: { id: number; reply: EngineReply }) => {
      this.#pending.get(id)?.resolve(reply); // an abandoned request is no longer there
      this.#pending.delete(id);
    });
    port.on("close", () => this.#lose());
  }

  async start(): Promise<void> {
    this.state = "up";
  }

  exchange({ method, input, lane, context }: EngineRequest): EngineExchange {
    if (this.state === "down") throw new TransportError("unavailable", "The engine is not running", { sent: false });
    if (this.#pending.size >= CAPACITY + (lane === "stop" ? STOP_RESERVE : 0)) {
      throw new TransportError("overloaded", "Too many requests are in progress", { sent: false });
    }
    this.#count += 1;
    const id = this.#count;
    const reply = new Promise<EngineReply>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#port.postMessage({ id, request: { method, input, lane, context } });
    return { reply, abandon: () => void this.#pending.delete(id) };
  }

  async close(): Promise<void> {
    this.#lose();
    this.#port.close();
  }

  #lose(): void {
    this.state = "down";
    for (const { reject } of this.#pending.values()) {
      reject(new TransportError("unavailable", "The engine has ended", { sent: true }));
    }
    this.#pending.clear();
  }
}
// #endregion
