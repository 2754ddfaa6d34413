import { type Clock, systemClock } from "../core/clock.ts";
import { pause, startTimeLimit, unlessAborted } from "../core/timeout.ts";
import { AdminClientError, DeniedError } from "./errors.ts";

/** How long a state is waited for. */
export interface ConfirmOptions {
  /** Milliseconds after which the state counts as not confirmed; 15,000 by default: an engine that can be read drops a command after 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between two reads; 250 by default. */
  readonly intervalMs?: number | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Source of time; tests give one that they hold. */
  readonly clock?: Clock | undefined;
}

/** The engine did not show the state in time, or could not be asked: then `cause` is the last failure of a read. */
export class NotConfirmedError extends Error {
  override readonly name = "NotConfirmedError";
  /** The last state read within the time limit; undefined when no read succeeded. */
  readonly lastSeen: unknown;

  constructor(message: string, lastSeen: unknown, options?: ErrorOptions) {
    super(message, options);
    this.lastSeen = lastSeen;
  }
}

/** A state that a caller waits for. */
export interface Claim<S> {
  /** The expected state, in words. */
  readonly words: string;
  /** Reads the state; `signal` says when no one waits for it any more. */
  read(options: { readonly signal: AbortSignal }): Promise<S>;
  holds(state: S): boolean;
}

interface Seen<S> {
  last?: S;
  /** Why the last read failed, if it did. */
  failure?: unknown;
}

/**
 * Reads a state again and again until the claim holds, and returns the state.
 *
 * @throws NotConfirmedError when the time is over.
 * @throws AdminClientError immediately for what no waiting changes: refused credentials, no such service or session.
 */
export async function confirmed<S>(claim: Claim<S>, options: ConfirmOptions = {}): Promise<S> {
  const { timeoutMs = 15_000, intervalMs = 250, signal: caller, clock = systemClock } = options;
  const { signal, end } = startTimeLimit(clock, timeoutMs, caller);
  const seen: Seen<S> = {};
  try {
    return await watch(claim, seen, signal, () => pause(clock, intervalMs, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
    const shown = "last" in seen ? `last seen: ${JSON.stringify(seen.last)}` : "no read succeeded";
    const cause = caller?.aborted ? caller.reason : seen.failure;
    throw new NotConfirmedError(`not confirmed within ${timeoutMs} ms: ${claim.words}; ${shown}`, seen.last, { cause });
  } finally {
    end();
  }
}

async function watch<S>(claim: Claim<S>, seen: Seen<S>, signal: AbortSignal, rest: () => Promise<void>): Promise<S> {
  for (;;) {
    try {
      seen.last = await unlessAborted(claim.read({ signal }), signal);
      seen.failure = undefined;
      if (claim.holds(seen.last)) return seen.last;
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      seen.failure = error;
    }
    await rest();
  }
}

/** Whether the next read may succeed: an engine or a gateway that is unavailable is what a confirmation has to outlast. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof AdminClientError) || error instanceof DeniedError) return false;
  const { status } = error;
  return status === undefined || status === 429 || status >= 500;
}
