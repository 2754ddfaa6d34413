import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { COMMAND } from "../cli/command.ts";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import type { EngineFlood } from "./flood.ts";

/** An engine in its own process: the slow one, or the simulated one. */
export interface StormEngine {
  readonly process: ChildProcess;
  readonly url: string;
  /** Of the simulated one. */
  readonly fixPort?: number;
}

/** Listens for WebSockets, or at the NATS server with this URL. */
export async function startStormEngine(natsUrl?: string): Promise<StormEngine> {
  const bus = natsUrl === undefined ? ["websocket"] : ["nats", natsUrl];
  const engine = fork(fileURLToPath(new URL("engine.mjs", import.meta.url)), bus);
  const [{ url }] = (await once(engine, "message")) as [{ url: string }];
  return { process: engine, url };
}

/** The simulated engine with its FIX port, in a folder with an `installation.yaml`. */
export async function startSimulator(cwd: string, natsUrl?: string): Promise<StormEngine> {
  const bus = natsUrl === undefined ? ["--listen", "ws://127.0.0.1:0"] : ["--nats", natsUrl];
  const options = [...bus, "--installation", "installation.yaml", "--fix-port", "0"];
  const engine = spawn(process.execPath, [COMMAND, "engine", ...options], {
    cwd,
    env: CLEAN_ENVIRONMENT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of engine.stdout) {
    said += chunk;
    const [, url] = /^engine listening on (\S+)\n/m.exec(said) ?? [];
    if (url !== undefined) return { process: engine, url, fixPort: fixPortIn(said) };
  }
  throw new Error(`the engine does not listen: ${said}`);
}

/** The FIX port that a program has printed. */
export function fixPortIn(said: string): number {
  const [, port] = /^ {2}fix OE1 +127\.0\.0\.1:(\d+)$/m.exec(said) ?? [];
  if (port === undefined) throw new Error(`no FIX port is open: ${said}`);
  return Number(port);
}

/** Lets the engine send what nobody asked for, until it is told to stop with undefined. */
export function setEngineFlood({ process: engine }: StormEngine, flood: EngineFlood | undefined): void {
  engine.send({ flood });
}

/** How often the slow engine was given each halt, by request id. */
export async function haltsAt({ process: engine }: StormEngine): Promise<Readonly<Record<string, number>>> {
  const answered = once(engine, "message");
  engine.send("halts");
  const [{ halts }] = (await answered) as [{ halts: Record<string, number> }];
  return halts;
}
