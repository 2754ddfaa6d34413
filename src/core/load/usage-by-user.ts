/** Usage of a resource, in total and per user. */
export class UsageByUser {
  total = 0;
  readonly #byUser = new Map<string, number>();

  of(user: string): number {
    return this.#byUser.get(user) ?? 0;
  }

  add(user: string, amount = 1): void {
    this.total += amount;
    this.#byUser.set(user, this.of(user) + amount);
  }

  remove(user: string, amount = 1): void {
    this.total -= amount;
    const left = this.of(user) - amount;
    if (left > 0) this.#byUser.set(user, left);
    else this.#byUser.delete(user);
  }
}
