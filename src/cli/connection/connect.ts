import { type AdminClient, createClient } from "../../client/client.ts";
import type { Credentials } from "../../client/credentials.ts";
import type { Fetch } from "../../client/exchange.ts";
import { hostOf, isLoopback } from "../../core/loopback.ts";
import type { Options } from "../command/definition.ts";
import { UsageError } from "../exit-codes.ts";
import { textOfFile } from "../process.ts";
import { acts } from "../terminal/output.ts";
import { shownOnStandardError, warn, withProgressLine } from "../terminal/say.ts";
import { overAddresses, rootOf } from "./addresses.ts";
import { openCredentials } from "./credentials.ts";
import { type ClientTls, nodeFetch } from "./node-fetch.ts";
import { selectedProfile } from "./profile.ts";
import { addressOf, type ConnectionSettings, connectionSettings, settingsFromEnvironment } from "./settings.ts";

/** A client of an installation, and how it is reached. */
export interface Connection {
  readonly client: AdminClient;
  /** The same, for commands that read again and again anyway: a read that fails is not repeated. */
  readonly polling: AdminClient;
  readonly credentials: Credentials;
  readonly settings: ConnectionSettings;
  /** The first address of the installation. */
  readonly address: URL;
  /** All of them, in the order in which they are tried. */
  readonly addresses: readonly URL[];
  readonly tls: ClientTls;
  /** What the installation is called: the name of its profile, or its address. */
  readonly name: string;
}

/** Settings of the connection that options, environment and profile give together. */
export async function readConnectionSettings(
  options: Options,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ConnectionSettings> {
  const variables = settingsFromEnvironment(environment);
  const isAddressed = (options.url ?? variables.url) !== undefined;
  return connectionSettings(
    options,
    variables,
    await selectedProfile(options.profile?.toString(), environment, isAddressed),
  );
}

/**
 * Makes a client of the installation that options, environment and profile name. Nothing is sent yet. With `progress: false`
 * nothing is written about slow responses, for commands that have the screen to themselves.
 *
 * @throws UsageError for what cannot be used: no address, no credentials, credentials that could be read on the way.
 */
export async function connect(options: Options): Promise<Connection> {
  const settings = await readConnectionSettings(options);
  const addresses = settings.addresses.map(addressOf);
  for (const address of addresses) refusePlainHttp(address, settings);
  const tls = tlsOf(settings);
  const direct = nodeFetch(tls);
  const [first] = addresses;
  if (!first) throw new UsageError("the profile has no address");
  const credentials = await openCredentials(settings.credentials, direct);
  const watched: Fetch = options.verbose === true ? shownOnStandardError(direct) : direct;
  const fetch = overAddresses(
    addresses,
    acting(options.progress === false ? watched : withProgressLine(watched)),
    (address, why, next) => warn(`${address.origin} was passed over, nothing was sent: ${why}; trying ${next.origin}`),
  );
  const onWarning = ({ message }: { readonly message: string }): void => warn(message);
  const common = { baseUrl: rootOf(first), credentials, fetch, onWarning };
  const [client, polling] = [createClient(common), createClient({ ...common, retryReads: false })];
  return {
    client,
    polling,
    credentials,
    settings,
    address: first,
    addresses,
    tls,
    name: settings.profile ?? first.host,
  };
}

/** What changes something: all that is neither a GET nor the read that has a body. */
function acting(fetch: Fetch): Fetch {
  return (url, init) => {
    if (init.method !== "GET" && !new URL(url).pathname.endsWith("/positions")) acts();
    return fetch(url, init);
  };
}

/** Anyone who can read on the way would have the password, or the token. */
function refusePlainHttp(address: URL, { allowPlainHttp }: ConnectionSettings): void {
  if (address.protocol === "https:" || allowPlainHttp || isLoopback(hostOf(address))) return;
  throw new UsageError(
    `nothing was sent: credentials could be read on the way to ${address.origin}; use https://, or --allow-plain-http if ` +
      "the network in between is yours alone",
  );
}

function tlsOf({ ca, certificate, privateKey }: ConnectionSettings): ClientTls {
  if ((certificate === undefined) !== (privateKey === undefined)) {
    throw new UsageError("a client certificate needs both --certificate and --private-key");
  }
  return { ca: pemOf(ca, "ca"), cert: pemOf(certificate, "certificate"), key: pemOf(privateKey, "private-key") };
}

function pemOf(file: string | undefined, what: string): string | undefined {
  return file === undefined ? undefined : textOfFile(file, `${what}: the file cannot be read`);
}
