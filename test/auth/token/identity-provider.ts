import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider from "oidc-provider";
import { onTestFinished } from "vitest";

type Algorithm = "RS256" | "ES256";

/** The client that shows its secret in a header, and one that sends it in the body. */
export const CLIENT = { id: "kill-switch-bot", secret: "a-secret-of-the-test" };
export const POSTING_CLIENT = { id: "night:job 7%", secret: "s+c/r=e&t %3A'of:the night" };
/** A client that shows a secret in a header which does not survive unless it is form-encoded first. */
export const ODD_CLIENT = { id: "risk:desk 8%", secret: "s+c/r=e&t %3A'of:the desk" };

/** A real OAuth 2.0 provider on loopback, with clients that may get tokens by the client credentials grant. */
export class IdentityProvider {
  readonly issuer: string;
  readonly #server: Server;
  #answer: ReturnType<Provider["callback"]> | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => void this.#answer?.(request, response));
  }

  static async start(): Promise<IdentityProvider> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const provider = new IdentityProvider(server);
    onTestFinished(() => provider.#close());
    await provider.rotateKeys();
    return provider;
  }

  /** New keys in place of all old ones, as after a restart with other keys. */
  async rotateKeys(): Promise<void> {
    const keys = await Promise.all([signingJwk("RS256"), signingJwk("ES256")]);
    this.#answer = new Provider(this.issuer, configuration(keys)).callback();
  }

  /** A token for `audience`, in the algorithm that its scheme names: `urn:rs256:...` or `urn:es256:...`. */
  async token(audience: string): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource: audience }),
    });
    const { access_token } = (await response.json()) as { access_token?: string };
    if (access_token === undefined) throw new Error(`the provider gave no token, status ${response.status}`);
    return access_token;
  }

  async #close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function signingJwk(alg: Algorithm): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: "sig" };
}

function configuration(keys: readonly JWK[]): Readonly<Record<string, unknown>> {
  return {
    jwks: { keys },
    ttl: { ClientCredentials: 600 },
    clients: [
      registration(CLIENT, "client_secret_basic"),
      registration(POSTING_CLIENT, "client_secret_post"),
      registration(ODD_CLIENT, "client_secret_basic"),
    ],
    extraTokenClaims: () => ({ realm_access: { roles: ["halt-desk", "CONTROL_FIX_SESSION"] } }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: "",
          audience,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: audience.startsWith("urn:es256:") ? "ES256" : "RS256" } },
        }),
      },
    },
  };
}

function registration({ id, secret }: typeof CLIENT, authentication: string): Readonly<Record<string, unknown>> {
  return {
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: authentication,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
  };
}
