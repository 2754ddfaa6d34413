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
