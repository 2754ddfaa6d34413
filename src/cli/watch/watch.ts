import { setTimeout as pause } from "node:timers/promises";
import { AdminClientError } from "../../client/errors.ts";
import { systemClock } from "../../core/clock.ts";
import { startTimeLimit } from "../../core/timeout.ts";
import { isoTimeOf, messageOf } from "../../core/values/basics.ts";
import { intervalOf } from "../duration.ts";
import { outcomeOf } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";
import { printEvent, type StreamFormat, streamFormatOf } from "../output/format.ts";
import { terminated } from "../process.ts";
import { printInfo } from "../terminal/messages.ts";
import { outputLost } from "../terminal/output.ts";
import type { Change } from "./change.ts";

export interface Watched<S> {
  read(call: { readonly signal: AbortSignal }): Promise<S>;
  /** The state as it is when the watch begins, in words. */
  summaryOf(state: S): string;
  changesOf(before: S, now: S): readonly Change[];
}

/** The longest pause between two readings while there is no response. */
const MAX_PAUSE_MS = 5_000;

/** A reading that takes longer is given up; the engine itself is given 10 seconds. */
const READ_TIMEOUT_MS = 12_000;

/**
 * Reads again and again until SIGINT or SIGTERM, or until nobody reads what it prints, one reading at a time, and prints what changed. An outage is reported when it begins and when it is
 * over, and what changed meanwhile is printed then.
 *
 * @throws what the first reading rejects with, and later what waiting does not change: refused credentials, no such thing.
 */
export async function watch<S>(watched: Watched<S>, options: Options): Promise<void> {
  const intervalMs = intervalOf(options);
  const format = streamFormatOf(options);
  const ended = terminated(outputLost);
  const stop = new AbortController();
  void ended.then(() => stop.abort());
  const outage = new Outage();
  let state = await watched.read({ signal: stop.signal });
  printInfo(`watching, ${isoTimeOf(Date.now())}: ${watched.summaryOf(state)}; Ctrl-C ends`);
  for (let wait = intervalMs; ; ) {
    await Promise.race([pause(wait), ended]);
    if (stop.signal.aborted) return;
    const limit = startTimeLimit(systemClock, READ_TIMEOUT_MS, stop.signal);
    try {
      const now = await watched.read({ signal: limit.signal });
      outage.over();
      report(watched.changesOf(state, now), format);
      state = now;
      wait = intervalMs;
    } catch (error) {
      if (stop.signal.aborted) return;
      if (!mayPass(error)) throw error;
      outage.goesOn(error);
      wait = Math.max(intervalMs, Math.min(wait * 2, MAX_PAUSE_MS));
    } finally {
      limit.end();
    }
  }
}

function report(changes: readonly Change[], format: StreamFormat): void {
  const time = isoTimeOf(Date.now());
  for (const { about, words, fields } of changes) {
    printEvent({ text: `${time}  ${about}  ${words}`, value: { time, about, changed: fields } }, format);
  }
}

/** A time in which nothing could be read. */
class Outage {
  #since: number | undefined;

  goesOn(error: unknown): void {
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    printInfo(`${isoTimeOf(Date.now())}  no response, trying again: ${messageOf(error)}`);
  }

  over(): void {
    if (this.#since === undefined) return;
    const seconds = ((Date.now() - this.#since) / 1_000).toFixed(1);
    printInfo(`${isoTimeOf(Date.now())}  there is a response again after ${seconds} s; what changed meanwhile follows`);
    this.#since = undefined;
  }
}

/** Whether the next reading may succeed. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof AdminClientError)) return false;
  return !["denied", "rejected"].includes(outcomeOf(error));
}
