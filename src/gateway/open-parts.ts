type Close = () => void | Promise<void>;

/** What has been opened, to be closed in the reverse order. */
export class OpenParts {
  readonly #closes: Close[] = [];

  add(close: Close): void {
    this.#closes.push(close);
  }

  /** Closes everything, once, also when closing some of it fails. Then rejects with an `AggregateError` of all failures, in their order. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closes.splice(0).reverse()) {
      try {
        await close();
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length === 0) return;
    const reasons = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)));
    throw new AggregateError(failures, `Not everything could be closed: ${reasons.join("; ")}`);
  }
}
