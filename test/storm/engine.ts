import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The slow engine, in a process of its own. */
export interface StormEngine {
  readonly process: ChildProcess;
  readonly url: string;
}

/** Listens for WebSockets, or at the NATS server with this URL. */
export async function startStormEngine(natsUrl?: string): Promise<StormEngine> {
  const bus = natsUrl === undefined ? ["websocket"] : ["nats", natsUrl];
  const engine = fork(fileURLToPath(new URL("engine.mjs", import.meta.url)), bus);
  const [{ url }] = (await once(engine, "message")) as [{ url: string }];
  return { process: engine, url };
}

/** How often the engine was given each halt, by request id. */
export async function haltsAt({ process: engine }: StormEngine): Promise<Readonly<Record<string, number>>> {
  const answered = once(engine, "message");
  engine.send("halts");
  const [{ halts }] = (await answered) as [{ halts: Record<string, number> }];
  return halts;
}
