import { isIP } from "node:net";

const DEFAULT_PORT = 4222;

/** Where one server is. */
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
