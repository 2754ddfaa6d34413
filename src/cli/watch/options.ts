import type { Options } from "../command/definition.ts";
import { durationMs } from "../duration.ts";
import { UsageError } from "../exit-codes.ts";
import { streamFormatOf } from "../output/stream.ts";
import { terminated } from "../process.ts";
import type { WatchOptions } from "./watch.ts";

const LEAST_MS = 200;

/** Milliseconds between two readings. */
export function intervalOf({ interval = "1s" }: Options): number {
  const ms = durationMs("--interval", String(interval));
  if (ms >= LEAST_MS) return ms;
  throw new UsageError(
    `--interval: at least ${LEAST_MS}ms, so that the gateway has time for other things; is ${interval}`,
  );
}

/** How long and in which format is watched: until SIGINT or SIGTERM. */
export function watchOptionsOf(options: Options): WatchOptions {
  return { intervalMs: intervalOf(options), format: streamFormatOf(options), ended: terminated() };
}
