import type { Logger } from "../../core/logger.ts";

/** Tells the log when the monitor cannot be reached any more and when it can again, not of each request. */
export class Reachability {
  readonly #log: Logger;
  #reached = true;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Takes how a request ended: with an answer, or with the error in its place. */
  report(error: Error | undefined): void {
    const reached = error === undefined;
    if (reached === this.#reached) return;
    this.#reached = reached;
    if (reached) this.#log.info("The monitor backend answers again");
    else this.#log.warn(`The monitor backend does not answer: ${error.message}`);
  }
}
