import { z } from "zod";
import { AdminError } from "../errors.ts";
import { engineReadNames } from "../operations/engine-reads.ts";
import { type BusMethod, busRecord, type OperationName, type Operations } from "../operations/table.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import type { Gate } from "./gate.ts";
import { longListIn } from "./long-list.ts";
import { RoundRobin } from "./round-robin.ts";

/** A read that waits is refused after this time and no sooner, so that it has no advantage to give up and try again. */
const WAIT_MS = 1_000;

/** Quota of waiting reads, in total and per user. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 250;

/** Requests whose last reply is remembered as short. */
const MAX_SHORT = 1_000;

interface ReadRequest {
  readonly method: BusMethod;
  readonly input: unknown;
}

/**
 * Limits the large replies in progress, from the request to the last encoded row: replies that arrive faster than they are sent on
 * would exhaust the memory. A list counts as large unless the last reply to an equal request was short: the same operation may list
 * ten rows for one input and 10,000 for another. Users are served round-robin.
 */
export class LargeReplySlots {
  readonly #gate: Gate;
  readonly #count: number;
  readonly #waiting = new RoundRobin<() => void>();
  readonly #lists: ReadonlySet<BusMethod>;
  /** Requests whose last reply was short, the latest reply last. */
  readonly #short = new BoundedMap<string, true>(MAX_SHORT);
  #taken = 0;

  /** `count`: large replies that may be in progress concurrently. */
  constructor(gate: Gate, operations: Operations, count: number) {
    this.#gate = gate;
    this.#count = count;
    const names = [...(Object.keys(operations) as OperationName[]), ...engineReadNames];
    this.#lists = new Set(names.filter((name) => hasRows(busRecord(operations, name).output)));
  }

  expectsLarge(request: ReadRequest): boolean {
    return this.#lists.has(request.method) && !this.#short.has(keyOf(request));
  }

  learn(request: ReadRequest, result: unknown): void {
    if (!this.#lists.has(request.method)) return;
    const key = keyOf(request);
    if (longListIn(result)) this.#short.delete(key);
    else this.#short.setNewest(key, true);
  }

  /**
   * Takes a slot: undefined if one is free, otherwise a promise that resolves in a turn of the user, or rejects with
   * `ENGINE_OVERLOADED` on timeout.
   */
  acquire(user: string): Promise<void> | undefined {
    if (this.#taken < this.#count) {
      this.#taken += 1;
      return undefined;
    }
    if (this.#waiting.size >= MAX_WAITING || this.#waiting.sizeOf(user) >= MAX_WAITING_OF_USER) throw tooMany();
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        cancel();
        resolve(this.#gate.reenter(user));
      };
      const cancel = this.#gate.scheduleAfter(WAIT_MS, user, "other", () => {
        if (!this.#waiting.remove(user, proceed)) return;
        reject(tooMany());
      });
      this.#waiting.push(user, proceed);
    });
  }

  /** Releases a slot, to the next waiting read if there is one. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}

function keyOf({ method, input }: ReadRequest): string {
  return `${method} ${JSON.stringify(input)}`;
}

function tooMany(): AdminError {
  return new AdminError("ENGINE_OVERLOADED", "Too many reads are in progress; nothing was sent");
}

/** Whether an output is an array, or an object with an array field. */
function hasRows(output: z.ZodType): boolean {
  if (output instanceof z.ZodArray) return true;
  return output instanceof z.ZodObject && Object.values(output.shape).some((field) => field instanceof z.ZodArray);
}
