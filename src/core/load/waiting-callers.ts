interface WaitingCaller {
  readonly isDisconnected?: boolean;
}

/** The callers who wait for one piece of work, such as a check that several of them share. */
export class WaitingCallers {
  readonly #callers: (WaitingCaller | undefined)[] = [];

  /** Begins with the caller on whose behalf the work is done. */
  constructor(first: WaitingCaller | undefined) {
    this.add(first);
  }

  get size(): number {
    return this.#callers.length;
  }

  add(caller: WaitingCaller | undefined): void {
    this.#callers.push(caller);
  }

  /** Whether all of them have hung up, so that nobody wants the work any more. */
  get areGone(): boolean {
    return this.#callers.every((caller) => caller?.isDisconnected === true);
  }
}
