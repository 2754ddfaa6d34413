import type { Fetch, FetchResponse } from "../../client/exchange.ts";
import { isCertainlyUnsent } from "../../client/network-failure.ts";
import { objectIn } from "../../client/result.ts";

/** The status of a gateway whose engine cannot be reached: nothing was sent (specification, "Errors"). */
const NOT_AVAILABLE = 503;

/** What was done about an address that could not serve a request. */
export type AddressListener = (passedOver: URL, why: string, next: URL) => void;

/**
 * Sends each request to the first address of an installation that takes it. Another address is tried only when nothing was
 * sent: no connection came about, or the API itself says so. The address that served a request gets the next one.
 */
export function overAddresses(addresses: readonly URL[], fetch: Fetch, passedOver: AddressListener): Fetch {
  const [first] = addresses;
  if (!first || addresses.length === 1) return fetch;
  let order = addresses;
  return async (url, init) => {
    const below = url.slice(rootOf(first).length);
    for (const [index, address] of order.entries()) {
      const next = order[index + 1];
      const attempt = await tried(fetch, `${rootOf(address)}${below}`, init);
      if (next && attempt.passOver !== undefined) {
        passedOver(address, attempt.passOver, next);
        continue;
      }
      order = [address, ...addresses.filter((other) => other !== address)];
      return attempt.settle();
    }
    throw new Error("no address was tried");
  };
}

interface Attempt {
  /** Why nothing was sent; undefined when that is not certain. */
  readonly passOver: string | undefined;
  settle(): Promise<FetchResponse>;
}

async function tried(fetch: Fetch, url: string, init: RequestInit): Promise<Attempt> {
  try {
    const response = await fetch(url, init);
    if (response.status !== NOT_AVAILABLE) return { passOver: undefined, settle: async () => response };
    const body = await response.text();
    const settle = async (): Promise<FetchResponse> => ({ ...response, text: async () => body });
    return { passOver: isOfTheApi(body) ? "503, its engine is not available" : undefined, settle };
  } catch (error) {
    const passOver = isCertainlyUnsent(error) ? (error as Error).message : undefined;
    return { passOver, settle: () => Promise.reject(error) };
  }
}

/** A proxy may respond 503 for a request that it has passed on; only the API's own body says that nothing was sent. */
function isOfTheApi(body: string): boolean {
  const { status, message } = objectIn(body);
  return status === NOT_AVAILABLE && typeof message === "string";
}

/** An address without a slash at its end. */
export function rootOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}
