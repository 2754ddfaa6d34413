/**
 * When long work on the thread that answers stops has to pause, so that others can have the thread in between. Ask
 * before each piece, of a fraction of a millisecond: `if (turns.isOver()) await turns.next();`. Under load a turn has time for one piece.
 */
export interface Turns {
  /** Whether the next piece has to wait. */
  isOver(): boolean;
  /** Resolves when it may begin. */
  next(): Promise<void>;
}

/** Does something with each item, each in a fraction of a millisecond; an item is not made before it may be used. */
export async function forEachInTurns<T>(turns: Turns, items: Iterable<T>, act: (item: T) => void): Promise<void> {
  if (turns.isOver()) await turns.next();
  for (const item of items) {
    act(item);
    if (turns.isOver()) await turns.next();
  }
}

export function piecesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, piece) =>
    items.slice(piece * size, (piece + 1) * size),
  );
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
