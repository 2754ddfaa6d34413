import { isIP } from "node:net";
import { type ConnectionOptions, credsAuthenticator } from "@nats-io/transport-node";
import type { Clock } from "../../src/core/clock.ts";
import { fieldsOf, ifGiven, type OptionTable, textLike } from "../../src/core/options.ts";
import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import type { LinkEvent } from "../link/link.ts";

/** TLS material in PEM; what is not given is the machine's default. */
export interface NatsTls {
  /** Authorities that the server's certificate is checked against, instead of the well-known ones. */
  readonly ca?: string | undefined;
  /** This end's own certificate and private key, for servers that ask for one. */
  readonly cert?: string | undefined;
  /** Private key of `cert`. */
  readonly key?: string | undefined;
}

/** How a NATS server is reached, the same for both ends of the bus. At most one way to log in may be given. */
export interface NatsConnectionOptions {
  /**
   * `nats://host:port` or `tls://host:port`, one or several of a cluster, tried in random order. `tls://` asks for TLS; with
   * `nats://` the server decides, unless `tls` is given.
   */
  readonly servers: string | readonly string[];
  /** Token of the server's configuration. */
  readonly token?: string | undefined;
  /** Name of a user; with `password`. */
  readonly user?: string | undefined;
  /** Password of `user`. */
  readonly password?: string | undefined;
  /** Text of a credentials file (`.creds`): a user's JWT and seed. */
  readonly credentials?: string | undefined;
  /** Makes TLS a must for every server. */
  readonly tls?: NatsTls | undefined;
}

const PEM = ifGiven(textLike("PEM as a text"));

export const NATS_OPTIONS: OptionTable<NatsConnectionOptions> = {
  servers: { like: '"nats://127.0.0.1:4222"', fits: (value) => typeof value === "string" || Array.isArray(value) },
  token: ifGiven(textLike("the token of the server")),
  user: ifGiven(textLike('"gateway"')),
  password: ifGiven(textLike("the password of the user")),
  credentials: ifGiven(textLike("the text of a .creds file")),
  tls: ifGiven(fieldsOf<NatsTls>({ ca: PEM, cert: PEM, key: PEM })),
};

/** The part of the client's options that logs in; throws `TypeError` for what no server could accept. Names no secret. */
export function loginOptions(options: NatsConnectionOptions): ConnectionOptions {
  const { token, user, password, credentials } = options;
  if ((user === undefined) !== (password === undefined)) {
    throw new TypeError("A user and a password of NATS belong together; only one of them was given");
  }
  if ([token, user, credentials].filter((way) => way !== undefined).length > 1) {
    throw new TypeError("There is more than one way to log in to NATS; give a token, or a user, or credentials");
  }
  // The client takes empty ones for none at all, and would log in without a user.
  if (token === "" || user === "") throw new TypeError("The token or user of NATS is empty");
  if (token !== undefined) return { token };
  if (user !== undefined && password !== undefined) return { user, pass: password };
  return credentials === undefined ? {} : { authenticator: credentialsAuthenticator(credentials) };
}

function credentialsAuthenticator(text: string): ReturnType<typeof credsAuthenticator> {
  const authenticator = credsAuthenticator(new TextEncoder().encode(text));
  try {
    // The client reads them when it connects, where a failure would be without a reason.
    authenticator("a nonce");
  } catch (cause) {
    throw new TypeError("The NATS credentials cannot be read; they must be the text of a .creds file", { cause });
  }
  return authenticator;
}

export interface NatsBusOptions extends NatsConnectionOptions {
  /** Prefix of the operations' subjects: `trading-admin.v1` unless given; the gateways need the same. */
  readonly subjectPrefix?: string | undefined;
  /** Engines in one queue group share the requests: `trading-admin-engine` unless given. */
  readonly queueGroup?: string | undefined;
  /** Names the state that this engine shares with others of its queue group: all of them give the same. Without, it has its own. */
  readonly stateId?: string | undefined;
  /** Requests that may be in progress concurrently (1,024); further ones are refused as overload. */
  readonly maxInFlight?: number | undefined;
  /** Stops that may be in progress beyond `maxInFlight` (64). */
  readonly stopReserve?: number | undefined;
  /** Milliseconds that `close` waits for the requests in progress (1,000). */
  readonly closeTimeoutMs?: number | undefined;
  /** Clock for the age of requests and the engine's time in replies. */
  readonly clock?: Clock | undefined;
  /** Called when the link goes up or down, and when something violates the contract. */
  readonly onEvent?: ((event: LinkEvent) => void) | undefined;
}

/** The engine's end of a NATS bus. */
export interface NatsBus extends EngineBus {
  /** The server that it first connected to, for example `nats://127.0.0.1:4222`. */
  readonly url: string;
  /**
   * Hands every request that arrives from now on to the handler, in the order of arrival; resolves when they can arrive.
   * Rejects when the server does not let this user listen to the operations' subjects.
   */
  listen(handler: EngineHandler): Promise<void>;
  /** Stops accepting requests, waits for the replies to pending ones, and disconnects. */
  close(): Promise<void>;
}

const DEFAULT_PORT = 4222;

export interface ServerAddress {
  /** `nats://host:port` or `tls://host:port`; holds no credentials. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Whether the URL asks for TLS. */
  readonly secure: boolean;
}

/** Reads the URLs of servers; throws `TypeError` that says what is wrong with one. */
export function serverAddresses(servers: string | readonly string[]): readonly ServerAddress[] {
  const addresses = (typeof servers === "string" ? [servers] : servers).map(parse);
  if (addresses.length === 0) throw new TypeError("At least one NATS server is needed, such as nats://127.0.0.1:4222");
  return addresses;
}

function parse(text: string): ServerAddress {
  if (!URL.canParse(text)) throw new TypeError("The URL of a NATS server must be one such as nats://127.0.0.1:4222");
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== "nats:" && protocol !== "tls:") {
    throw new TypeError(`The URL of a NATS server must begin with nats:// or tls://, not with ${protocol}`);
  }
  if (username !== "" || password !== "") {
    throw new TypeError(
      "The URL of a NATS server must hold no credentials; give a token, a user or credentials instead",
    );
  }
  if (hostname === "" || pathname.length > 1 || search !== "" || hash !== "") {
    throw new TypeError(`The URL of a NATS server must be ${protocol}//host:port and nothing more`);
  }
  const at = port === "" ? DEFAULT_PORT : Number(port);
  const url = `${protocol}//${hostname}:${at}`;
  return { url, host: hostname.replace(/^\[|\]$/g, ""), port: at, secure: protocol === "tls:" };
}

/** The address as the client takes it. */
export function hostAndPort({ host, port }: ServerAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
