/** How many of something are in use, in all and by each user. */
export class UseByUser {
  total = 0;
  readonly #byUser = new Map<string, number>();

  of(user: string): number {
    return this.#byUser.get(user) ?? 0;
  }

  add(user: string): void {
    this.total += 1;
    this.#byUser.set(user, this.of(user) + 1);
  }

  remove(user: string): void {
    this.total -= 1;
    const left = this.of(user) - 1;
    if (left > 0) this.#byUser.set(user, left);
    else this.#byUser.delete(user);
  }
}
