import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** Keeps a process on one core, so that server and load do not take each other's; false where that cannot be done. */
export function pin(pid, core) {
  if (availableParallelism() <= core) return false;
  return spawnSync("taskset", ["-a", "-c", "-p", String(core), String(pid)]).status === 0;
}
