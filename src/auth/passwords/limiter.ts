/** Runs a task when its turn comes. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets at most `limit` tasks run at a time; the others wait in the order in which they came. */
export function limitConcurrency(limit: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function turn(): Promise<void> {
    if (running < limit) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** A waiting task takes the place over, so that nobody can slip in between. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return async (task) => {
    await turn();
    try {
      return await task();
    } finally {
      leave();
    }
  };
}
