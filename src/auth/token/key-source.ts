import { z } from "zod";
import { systemClock } from "../../core/clock.ts";
import { startTimeLimit } from "../../core/timeout.ts";
import { withoutSecrets } from "../../core/urls.ts";
import { messageOf } from "../../core/values/basics.ts";
import { fetchJson, IdentityProviderError, providerAddress } from "./fetch-json.ts";
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

const OPENID = "/.well-known/openid-configuration";
const OAUTH = "/.well-known/oauth-authorization-server";

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });

/**
 * Finds the key set of an issuer by its metadata document, which is looked for at the three well-known places in turn (OpenID
 * Connect Discovery 1.0 section 4; RFC 8414 sections 3 and 5), as Spring Security does.
 *
 * @throws IdentityProviderError when no place has a document of this very issuer; the message has the reason of each.
 */
export async function discoverJwkSet(issuerUri: string, signal: AbortSignal): Promise<URL> {
  const reasons: string[] = [];
  for (const place of wellKnownPlaces(issuerUri)) {
    try {
      return readMetadata(issuerUri, place, await fetchJson(place, signal));
    } catch (error) {
      // Collected: the next place may have the document, and in the end the caller gets all reasons.
      reasons.push(messageOf(error));
    }
  }
  throw new IdentityProviderError(
    `no metadata of the issuer ${withoutSecrets(issuerUri)} was found: ${reasons.join("; ")}`,
  );
}

function wellKnownPlaces(issuerUri: string): URL[] {
  const issuer = providerAddress("the issuer URI", issuerUri);
  const path = issuer.pathname.replace(/\/$/, "");
  const places = [`${path}${OPENID}`, `${OPENID}${path}`, `${OAUTH}${path}`];
  return [...new Set(places)].map((place) => new URL(place, issuer.origin));
}

/** The document must speak of this issuer itself, or one provider could pass for another (RFC 8414 section 3.3). */
function readMetadata(issuerUri: string, place: URL, document: unknown): URL {
  const metadata = metadataSchema.safeParse(document);
  if (!metadata.success) {
    throw new IdentityProviderError(
      `${withoutSecrets(place.href)}: the response is not a metadata document with issuer and jwks_uri`,
    );
  }
  const { issuer, jwks_uri } = metadata.data;
  if (issuer !== issuerUri) {
    const found = withoutSecrets(JSON.stringify(issuer));
    throw new IdentityProviderError(`${withoutSecrets(place.href)}: the document is that of the issuer ${found}`);
  }
  return providerAddress(`${withoutSecrets(place.href)}: its jwks_uri`, jwks_uri);
}
