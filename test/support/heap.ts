import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A function that collects garbage, all of it, before it returns. */
export function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** Bytes of the heap that are in use, garbage collected. */
export function liveHeap(): number {
  const collect = garbageCollector();
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
