import { z } from "zod";
import { withoutSecrets } from "../../core/urls.ts";
import { messageOf } from "../../core/values/basics.ts";
import { IdentityProviderError } from "./errors.ts";
import { fetchJson, providerAddress } from "./fetch-json.ts";

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
