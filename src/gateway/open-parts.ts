type Close = () => void | Promise<void>;

/** What has been opened, to be closed in the reverse order. */
export class OpenParts {
  readonly #closes: Close[] = [];

  add(close: Close): void {
    this.#closes.push(close);
  }

  /** Closes everything, once. */
  async close(): Promise<void> {
    for (const close of this.#closes.splice(0).reverse()) await close();
  }
}
