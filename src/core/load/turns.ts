/** When long work on the thread that answers stops has to pause, so that others can have the thread in between (decision D-UAC 18). */
export interface Turns {
  /** Whether the work has had its time. */
  isOver(): boolean;
  /** Resolves when it may continue. */
  next(): Promise<void>;
}

/** Does something with each item, each in a fraction of a millisecond. */
export async function forEachInTurns<T>(turns: Turns, items: Iterable<T>, act: (item: T) => void): Promise<void> {
  for (const item of items) {
    if (turns.isOver()) await turns.next();
    act(item);
  }
}

const TURN_MS = 1;

/** A millisecond in each turn of the event loop, for what no gate schedules, such as files that are read while requests are served. */
export class LoopTurns implements Turns {
  #end = performance.now() + TURN_MS;

  isOver(): boolean {
    return performance.now() >= this.#end;
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#end = performance.now() + TURN_MS;
  }
}
