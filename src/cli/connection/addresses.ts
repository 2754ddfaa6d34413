import { setTimeout as pause } from "node:timers/promises";
import type { Fetch } from "../../client/exchange.ts";
import { type Reply, replyOf, type Travel } from "./reply.ts";

/**
 * The addresses of an installation, the one that served the last request first. A request goes to the first one, and to the next one when
 * certainly nothing was sent; what may be repeated is offered to the next one, too, when there is no response for a while, or none that
 * settles it (decision D-CLI 11).
 */
export class Addresses {
  readonly #root: string;
  readonly #fetch: Fetch;
  readonly #notify: (words: string) => void;
  #order: readonly URL[];

  /** Requests are addressed to the first one of `all`; `notify` is called with a sentence when another one is tried. */
  constructor(all: readonly [URL, ...URL[]], fetch: Fetch, notify: (words: string) => void) {
    this.#root = rootOf(all[0]);
    this.#fetch = fetch;
    this.#notify = notify;
    this.#order = all;
  }

  /** Sends requests of one kind. */
  fetchFor(travel: Travel): Fetch {
    return async (url, init) => {
      const below = url.slice(this.#root.length);
      // An address that is still silent when another one has responded is left alone.
      const over = new AbortController();
      const signal = AbortSignal.any([...(init.signal ? [init.signal] : []), over.signal]);
      const request: Request = (address) =>
        replyOf(travel, address, () => this.#fetch(`${rootOf(address)}${below}`, { ...init, signal }));
      try {
        const reply = await offered(request, {
          addresses: this.#order,
          isRepeatable: () => travel !== "once" && init.signal?.aborted !== true,
          passedOver: (address, reply, next) => {
            this.#order = [...this.#without(address), address];
            if (next)
              this.#notify(`${address.origin} was passed over, ${wordsOf(travel, reply)}; trying ${next.origin}`);
          },
        });
        if (reply.verdict === "final") this.#order = [reply.address, ...this.#without(reply.address)];
        return await reply.settle();
      } finally {
        over.abort(new Error("another address has responded"));
      }
    };
  }

  #without(address: URL): URL[] {
    return this.#order.filter((other) => other !== address);
  }
}

/** Why an address was passed over, and what may still come of the request there. */
function wordsOf(travel: Travel, reply: Reply | undefined): string {
  if (reply?.verdict === "unsent") return `nothing was sent: ${reply.why}`;
  const later = travel === "stop" ? "; it may still carry out the stop later" : "";
  return `${reply?.why ?? `no response within ${SILENCE_MS / 1_000} s`}${later}`;
}

/** An address without a slash at its end. */
export function rootOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** Sends a request to an address. Never rejects. */
type Request = (address: URL) => Promise<Reply>;

interface Offer {
  /** In the order in which they are tried. */
  readonly addresses: readonly URL[];
  /** Whether it may go to another address although the one before may have carried it out. */
  isRepeatable(): boolean;
  /** Told of each address that did not settle it, with its reply unless it is silent, and of the one that is tried next. */
  passedOver(address: URL, reply: Reply | undefined, next: URL | undefined): void;
}

/** How long an address may be silent before the next one is tried, in milliseconds. */
const SILENCE_MS = 3_000;

/**
 * Offers a request to one address after the other until one settles it. One that is silent is not waited for, but its reply counts if it
 * comes first. When no address settles it, the reply that leaves most doubt is the result: a refusal by one does not say that another one
 * did nothing.
 */
async function offered(request: Request, { addresses, isRepeatable, passedOver }: Offer): Promise<Reply> {
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
