import type { EngineRequest, EngineTransport } from "../../../src/core/engine/transport.ts";
import type { ReplyBody } from "../../../transports/json-rpc/replies.ts";

/** A request as it came to the engine's end of a wire, and ways to answer it, wrong ones included. */
export interface Delivery {
  readonly request: EngineRequest;
  /** Sends a reply; may be called again. */
  answer(body: ReplyBody): void;
  /** Sends something that is cut off in the middle of a reply. */
  garbage(): void;
}

/** What the engine's end does with a request. */
export type Behaviour = (delivery: Delivery) => void;

/** A wire whose engine's end is a script over a plain socket, with none of our code for engines. */
export interface Peer {
  readonly transport: EngineTransport;
  /** Every request that came, restarts included. */
  readonly seen: EngineRequest[];
  behave(behaviour: Behaviour): void;
  /** Breaks the link between gateway and engine; resolves when the gateway knows. */
  cut(): Promise<void>;
  /** Lets the gateway connect again; resolves when it has. */
  mend(): Promise<void>;
  /** Ends the engine and starts it again; resolves when the gateway can reach it. */
  restart(): Promise<void>;
  close(): Promise<void>;
}
