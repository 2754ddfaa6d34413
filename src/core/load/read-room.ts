import { z } from "zod";
import { AdminError } from "../errors.ts";
import { type OperationName, type Operations, operationRecord } from "../operations/table.ts";
import type { Gate } from "./gate.ts";
import { RoundRobin } from "./round-robin.ts";

/** Maximum wait of a read. Refusals come no sooner, so that immediate retries have no advantage over waiting. */
const WAIT_MS = 1_000;

/** Quota of waiting reads, in total and per user. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 250;

type Admit = () => void;

/**
 * Limits the large replies under way, from the request to the last encoded row: replies that arrive faster than they are sent on
 * would exhaust the memory. A read counts as large if the last reply to its operation was. Users are served round-robin.
 */
export class ReadRoom {
  readonly #gate: Gate;
  readonly #places: number;
  readonly #waiting = new RoundRobin<Admit>();
  readonly #large: Set<OperationName>;
  #taken = 0;

  /** `places`: large replies that may be under way at once. */
  constructor(gate: Gate, operations: Operations, places: number) {
    this.#gate = gate;
    this.#places = places;
    // Before the first reply any list may be long.
    const names = Object.keys(operations) as OperationName[];
    this.#large = new Set(names.filter((name) => hasRows(operationRecord(operations, name).output)));
  }

  /** Whether the reply to an operation is expected to be large. */
  expectsLarge(name: OperationName): boolean {
    return this.#large.has(name);
  }

  /** Records whether the reply to an operation was large. */
  learn(name: OperationName, wasLarge: boolean): void {
    if (wasLarge) this.#large.add(name);
    else this.#large.delete(name);
  }

  /**
   * Takes a place: undefined if one is free, otherwise a promise that resolves in a turn of the user, or rejects with
   * `ENGINE_OVERLOADED` on timeout.
   */
  enter(user: string): Promise<void> | undefined {
    if (this.#taken < this.#places) {
      this.#taken += 1;
      return undefined;
    }
    if (this.#waiting.size >= MAX_WAITING || this.#waiting.sizeOf(user) >= MAX_WAITING_OF_USER) throw tooMany();
    return new Promise((resolve, reject) => {
      const admit: Admit = () => {
        cancel();
        this.#gate.run(user, "other", resolve);
      };
      const cancel = this.#gate.after(WAIT_MS, user, "other", () => {
        if (!this.#waiting.remove(user, admit)) return;
        reject(tooMany());
      });
      this.#waiting.push(user, admit);
    });
  }

  /** Releases a place, to the next waiting read if there is one. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}

function tooMany(): AdminError {
  return new AdminError("ENGINE_OVERLOADED", "Too many reads are under way; nothing was sent");
}

/** Whether an output is an array, or an object with an array field. */
function hasRows(output: z.ZodType): boolean {
  if (output instanceof z.ZodArray) return true;
  return output instanceof z.ZodObject && Object.values(output.shape).some((field) => field instanceof z.ZodArray);
}
