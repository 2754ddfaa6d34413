import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { type Authenticator, type ConnectionOptions, credsAuthenticator } from "@nats-io/transport-node";

/** How a NATS cluster is reached; the same for both ends of the bus. */
export interface NatsConnectionOptions {
  /** `nats://` or `tls://` URLs of one or more servers of the cluster. */
  readonly servers: string | readonly string[];
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Content of a credentials file (`.creds`). */
  readonly credentials?: string | undefined;
  /** TLS material in PEM. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

/** How long one attempt to connect may take. */
const CONNECT_TIMEOUT_MS = 5_000;

const RECONNECT_MIN_MS = 100;
const RECONNECT_SPREAD_MS = 900;

/** Ping interval of a connection; two pings without an answer end it, so a half-open link is noticed within 10 s. */
const PING_INTERVAL_MS = 2_500;

/** Milliseconds to the next attempt to connect, at random, so that gateways do not come back all at once. */
export function reconnectDelay(): number {
  return RECONNECT_MIN_MS + Math.random() * RECONNECT_SPREAD_MS;
}

/**
 * What the client is told: it reconnects for ever, also when the server refuses the credentials for a while. Throws `TypeError`
 * for credentials that are none.
 */
export function clientOptions(options: NatsConnectionOptions, name: string): ConnectionOptions {
  const servers = serverList(options);
  const { token, user, password, credentials, tls } = options;
  const secure = tls !== undefined || servers.some((server) => server.startsWith("tls://"));
  return {
    servers,
    name,
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectDelay,
    ignoreAuthErrorAbort: true,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
    ...(token !== undefined && { token }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { pass: password }),
    ...(credentials !== undefined && { authenticator: authenticatorOf(credentials) }),
    ...(secure && { tls: { ...tls, ...identityCheck(servers) } }),
  };
}

function authenticatorOf(credentials: string): Authenticator {
  const authenticator = credsAuthenticator(new TextEncoder().encode(credentials));
  try {
    authenticator("");
  } catch {
    // The cause may quote what it could not read.
    throw new TypeError("The NATS credentials are not the content of a credentials file (.creds)");
  }
  return authenticator;
}

/** For a server that is named by its address the client gives no name to check, and then Node takes `localhost`. */
function identityCheck(servers: readonly string[]): object {
  const hosts = servers.map((server) => new URL(server).hostname.replace(/^\[|\]$/g, ""));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return {
    checkServerIdentity: (host: string, certificate: PeerCertificate): Error | undefined => {
      const isAddress = host === "localhost" && addresses.length > 0;
      if (isAddress && addresses.some((address) => !checkServerIdentity(address, certificate))) return undefined;
      return checkServerIdentity(host, certificate);
    },
  };
}

/** The servers as the client wants them. */
export function serverList({ servers }: NatsConnectionOptions): string[] {
  return typeof servers === "string" ? [servers] : [...servers];
}

/** Why a server could not be reached, in words. */
export function connectReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
