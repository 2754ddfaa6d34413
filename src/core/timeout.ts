import type { Clock } from "./clock.ts";

/** A promise did not settle in time; it may still settle later. */
export class TimeoutError extends Error {}

/** Settles like a promise, or rejects with {@link TimeoutError} after `ms` milliseconds. */
export function within<T>(clock: Clock, ms: number, promise: PromiseLike<T>, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(ms, () => {
      // After a stall timers run before I/O: a result that has already arrived must win.
      setImmediate(() => reject(new TimeoutError(message)));
    });
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** A time limit together with a caller's own signal. */
export interface TimeLimit {
  /** Aborts when the time is over or the caller aborts, with the reason of whichever was first. */
  readonly signal: AbortSignal;
  /** Takes timer and listener away. */
  end(): void;
}

/**
 * Starts a time limit. `AbortSignal.any` with `AbortSignal.timeout` is none: on Node.js 20 both may be collected as garbage before the
 * time is over, and what waits for them waits forever.
 */
export function startTimeLimit(clock: Clock, limitMs: number, caller: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  const cancel = clock.schedule(limitMs, () =>
    controller.abort(new DOMException(`no response within ${limitMs} ms`, "TimeoutError")),
  );
  const follow = (): void => controller.abort(caller?.reason);
  if (caller?.aborted) follow();
  caller?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    end() {
      cancel();
      caller?.removeEventListener("abort", follow);
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason if that comes first. */
export function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const end = (): void => signal.removeEventListener("abort", abort);
    Promise.resolve(work).then(resolve, reject).finally(end);
  });
}

/** Waits; rejects with the signal's reason when it aborts first. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  let cancel = (): void => {};
  const over = new Promise<void>((resolve) => {
    cancel = clock.schedule(ms, resolve);
  });
  try {
    await unlessAborted(over, signal);
  } finally {
    cancel();
  }
}
