/** Work that begins so soon after the last has been waiting for it: what was on its way only had to be taken in. */
const GAP_MS = 20;

/** How long work has followed upon work without a pause, and so how long what comes next has waited unseen. */
export class BusyPeriod {
  #since = Number.NEGATIVE_INFINITY;
  #ended = Number.NEGATIVE_INFINITY;

  /** Work begins; answers for how long it has gone on without a pause. `now` is in monotonic milliseconds. */
  begin(now: number): number {
    if (now - this.#ended > GAP_MS) this.#since = now;
    return now - this.#since;
  }

  end(now: number): void {
    this.#ended = now;
  }
}
