import { setTimeout as pause } from "node:timers/promises";
import type { Reply } from "./reply.ts";

/** Sends a request to an address. Never rejects. */
export type Request = (address: URL) => Promise<Reply>;

/** How a request is offered. */
interface Offer {
  /** In the order in which they are tried. */
  readonly addresses: readonly URL[];
  /** Whether it may go to another address although the one before may have carried it out. */
  isRepeatable(): boolean;
  /** Told of each address that did not settle it, with its reply unless it is silent, and of the one that is tried next. */
  passedOver(address: URL, reply: Reply | undefined, next: URL | undefined): void;
}

/** How long an address may be silent before the next one is tried, in milliseconds. */
export const SILENCE_MS = 3_000;

/**
 * Offers a request to one address after the other until one settles it. One that is silent is not waited for, but its reply counts if it
 * comes first. When no address settles it, the reply that leaves most doubt is the result: a refusal by one does not say that another one
 * did nothing.
 */
export async function offered(request: Request, { addresses, isRepeatable, passedOver }: Offer): Promise<Reply> {
  const left = [...addresses];
  const pending = new Map<URL, Promise<Reply>>();
  const replies: Reply[] = [];
  const askNext = (before?: URL, reply?: Reply): void => {
    const next = left.shift();
    if (before) passedOver(before, reply, next);
    if (next) pending.set(next, request(next));
  };
  askNext();
  while (pending.size > 0) {
    const patienceMs = left.length > 0 && isRepeatable() ? SILENCE_MS : undefined;
    const reply = await firstOf([...pending.values()], patienceMs);
    if (reply === undefined) {
      askNext([...pending.keys()].at(-1));
      continue;
    }
    if (reply.verdict === "final") return reply;
    pending.delete(reply.address);
    replies.push(reply);
    if (reply.verdict === "open" && !isRepeatable()) left.length = 0;
    if (reply.verdict !== "refused") askNext(reply.address, reply);
  }
  return mostOpen(replies);
}

/** The first reply; undefined when none comes in time. */
async function firstOf(pending: readonly Promise<Reply>[], patienceMs: number | undefined): Promise<Reply | undefined> {
  if (patienceMs === undefined) return Promise.race(pending);
  const over = new AbortController();
  try {
    return await Promise.race([...pending, pause(patienceMs, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}

function mostOpen(replies: readonly Reply[]): Reply {
  const named = (verdict: Reply["verdict"]): Reply | undefined => replies.find((reply) => reply.verdict === verdict);
  const found = named("open") ?? named("refused") ?? replies.at(-1);
  if (found) return found;
  throw new Error("no address was tried");
}
