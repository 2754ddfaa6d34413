import type { Fetch } from "../../client/exchange.ts";
import { offered, type Request, SILENCE_MS } from "./offer.ts";
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

  /** Requests are addressed to the first one of `all`; `notify` is told in a sentence when another one is tried. */
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
