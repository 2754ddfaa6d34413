import { z } from "zod";
import { AdminError } from "../errors.ts";
import { type OperationName, type Operations, operationRecord } from "../operations/table.ts";
import type { Gate } from "./gate.ts";
import { RoundRobin } from "./round-robin.ts";

/** How long a read waits for room. A refusal comes no sooner: who asks again at once must not get more than who waits. */
const WAIT_MS = 1_000;

/** Reads that may wait, of all users and of one. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_USER = 250;

type Admit = () => void;

/**
 * Room for large replies, from the request to the engine until the last row is encoded: replies that come faster than they can be
 * passed on would fill the memory. A read is taken for large when the last one of its operation was. Users take turns.
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
    // Until the engine has replied, every list may be long.
    const names = Object.keys(operations) as OperationName[];
    this.#large = new Set(names.filter((name) => hasRows(operationRecord(operations, name).output)));
  }

  /** Whether the reply to an operation is expected to be large. */
  expectsLarge(name: OperationName): boolean {
    return this.#large.has(name);
  }

  /** Remembers whether the reply to an operation was large. */
  learn(name: OperationName, wasLarge: boolean): void {
    if (wasLarge) this.#large.add(name);
    else this.#large.delete(name);
  }

  /** Takes a place: undefined if there is one, else a promise of it. Rejects with `ENGINE_OVERLOADED` when that takes too long. */
  enter(user: string): Promise<void> | undefined {
    if (this.#taken < this.#places) {
      this.#taken += 1;
      return undefined;
    }
    if (this.#waiting.size >= MAX_WAITING || this.#waiting.sizeOf(user) >= MAX_WAITING_OF_USER) throw tooMany();
    return new Promise((resolve, reject) => {
      const admit: Admit = () => {
        cancel();
        resolve();
      };
      const cancel = this.#gate.after(WAIT_MS, user, "other", () => {
        if (!this.#waiting.remove(user, admit)) return;
        reject(tooMany());
      });
      this.#waiting.push(user, admit);
    });
  }

  /** Gives a place back; who waits takes it over. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}

function tooMany(): AdminError {
  return new AdminError("ENGINE_OVERLOADED", "Too many reads are under way; nothing was sent");
}

/** Whether an output is a list, or has one in a field. */
function hasRows(output: z.ZodType): boolean {
  if (output instanceof z.ZodArray) return true;
  return output instanceof z.ZodObject && Object.values(output.shape).some((field) => field instanceof z.ZodArray);
}
