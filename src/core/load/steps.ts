/** Work in steps of at most a fraction of a millisecond, so that others can have the thread in between. */
export type Steps<T = void> = Generator<void, T>;

/** Does all steps immediately. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Does something with each item, `atATime` of them in one step. Steps are counted and not timed: engines with equal
 * installations, seeds and clocks behave alike.
 */
export function* forEachInSteps<T>(items: readonly T[], atATime: number, act: (item: T) => void): Steps {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % atATime === 0) yield;
    act(item);
  }
}
