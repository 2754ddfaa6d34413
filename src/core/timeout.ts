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
