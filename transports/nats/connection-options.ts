import { type ConnectionOptions, credsAuthenticator } from "@nats-io/transport-node";

/** TLS material in PEM; what is not given is the machine's default. */
export interface NatsTls {
  /** Authorities that the server's certificate is checked against, instead of the well-known ones. */
  readonly ca?: string | undefined;
  /** This end's own certificate and private key, for servers that ask for one. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** How a NATS server is reached, the same for both ends of the bus. At most one way to log in may be given. */
export interface NatsConnectionOptions {
  /**
   * `nats://host:port` or `tls://host:port`, one or several of a cluster, tried in random order. `tls://` asks for TLS; with
   * `nats://` the server decides, unless `tls` is given.
   */
  readonly servers: string | readonly string[];
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Text of a credentials file (`.creds`): a user's JWT and seed. */
  readonly credentials?: string | undefined;
  /** Makes TLS a must for every server. */
  readonly tls?: NatsTls | undefined;
}

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
