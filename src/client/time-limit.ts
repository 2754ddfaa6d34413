import type { Clock } from "../core/clock.ts";

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
