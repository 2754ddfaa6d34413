import { systemClock } from "../../core/clock.ts";
import { startTimeLimit } from "../../core/timeout.ts";
import { withoutSecrets } from "../../core/urls.ts";
import { messageOf } from "../../core/values/basics.ts";
import { discoverJwkSet } from "./discovery.ts";
import { IdentityProviderError } from "./errors.ts";
import { fetchJson, providerAddress } from "./fetch-json.ts";
import { type KeySet, readKeySet } from "./key-set.ts";

/** For metadata and keys together: requests may wait for them. */
const TIME_LIMIT_MS = 5000;

/**
 * How the keys of a provider are fetched: from `jwkSetUri`, or from where the metadata of `issuerUri` says. Addresses that
 * were discovered are kept while they work.
 *
 * @throws TypeError when neither is given or an address cannot be used.
 */
export function keySource(
  issuerUri: string | undefined,
  jwkSetUri: string | undefined,
  closing: AbortSignal,
): () => Promise<KeySet> {
  if (jwkSetUri !== undefined) {
    const address = providerAddress("jwkSetUri", jwkSetUri);
    return () => inTime(closing, (signal) => fetchKeySet(address, signal));
  }
  if (issuerUri === undefined) throw new TypeError("issuerUri or jwkSetUri is needed");
  providerAddress("issuerUri", issuerUri);
  let discovered: URL | undefined;
  return () =>
    inTime(closing, async (signal) => {
      const address = discovered ?? (await discoverJwkSet(issuerUri, signal));
      discovered = undefined;
      const keys = await fetchKeySet(address, signal);
      discovered = address;
      return keys;
    });
}

async function inTime<T>(closing: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, end } = startTimeLimit(systemClock, TIME_LIMIT_MS, closing);
  try {
    return await work(signal);
  } finally {
    end();
  }
}

async function fetchKeySet(address: URL, signal: AbortSignal): Promise<KeySet> {
  const document = await fetchJson(address, signal);
  try {
    return readKeySet(document);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new IdentityProviderError(`${withoutSecrets(address.href)}: ${reason}`, { cause });
  }
}
