/** A limited resource: how much of it is taken, in total and by each user. A little of it is there for everyone. */
export class Quota {
  readonly max: number;
  readonly #maxOfUser: number;
  /** Guaranteed to each user, even when others have taken all. */
  readonly #floor: number;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(max: number, maxOfUser: number, floor = 1) {
    this.max = max;
    this.#maxOfUser = maxOfUser;
    this.#floor = Math.min(floor, maxOfUser);
  }

  get taken(): number {
    return this.#taken;
  }

  takenBy(user: string): number {
    return this.#takenBy.get(user) ?? 0;
  }

  /** Whether a user may take more. `reserve` comes on top of both limits. */
  hasRoom(user: string, amount = 1, reserve = 0): boolean {
    const ofUser = this.takenBy(user) + amount;
    return ofUser <= this.#floor || (this.#taken + amount <= this.max + reserve && ofUser <= this.#maxOfUser + reserve);
  }

  /** Takes without regard to the limits. */
  take(user: string, amount = 1): void {
    this.#taken += amount;
    this.#takenBy.set(user, this.takenBy(user) + amount);
  }

  release(user: string, amount = 1): void {
    this.#taken -= amount;
    const left = this.takenBy(user) - amount;
    if (left > 0) this.#takenBy.set(user, left);
    else this.#takenBy.delete(user);
  }
}
