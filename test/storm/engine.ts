import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The slow engine, in a process of its own. */
export interface StormEngine {
  readonly process: ChildProcess;
  readonly url: string;
}

export async function startStormEngine(): Promise<StormEngine> {
  const engine = fork(fileURLToPath(new URL("engine.mjs", import.meta.url)));
  const [{ url }] = (await once(engine, "message")) as [{ url: string }];
  return { process: engine, url };
}
