/** Whether a gateway takes requests. */
export class Availability {
  #accepting = false;

  /** From when it listens until it begins to shut down. */
  get accepting(): boolean {
    return this.#accepting;
  }

  accept(): void {
    this.#accepting = true;
  }

  /** From now on load balancers should send their requests elsewhere. */
  refuse(): void {
    this.#accepting = false;
  }
}
