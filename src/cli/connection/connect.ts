import { type AdminClient, type AdminWarning, type ClientOptions, createClient } from "../../client/client.ts";
import type { Credentials } from "../../client/credentials.ts";
import type { Fetch } from "../../client/exchange.ts";
import { ROUTES } from "../../client/routes.ts";
import type { CallName } from "../../core/operations/table.ts";
import { hostOf, isLoopback } from "../../core/urls.ts";
import { once } from "../../core/values/basics.ts";
import { UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";
import { textOfFile } from "../process.ts";
import { printInfo, shownOnStandardError, warn, withProgressLine } from "../terminal/messages.ts";
import { acts } from "../terminal/output.ts";
import { Addresses, rootOf } from "./addresses.ts";
import { namingRefused } from "./caller.ts";
import { openCredentials } from "./credentials.ts";
import { guessing } from "./failure-advice.ts";
import { type ClientTls, nodeFetch } from "./node-fetch.ts";
import { howToGive, isNothingGiven, selectedProfile } from "./profile.ts";
import { type Travel, travelOf } from "./reply.ts";
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
  /** What the gateway's console knows of the last commands; undefined where it cannot be read, or is not served. */
  consoleRecords(): Promise<unknown>;
  /** Name of the installation: that of its profile, or its address. */
  readonly name: string;
}

/** Different warnings that are printed once; further ones are printed each time. */
const MAX_SAVED = 1_000;

/** Settings of the connection that options, environment and profile give together. */
export async function readConnectionSettings(
  options: Options,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ConnectionSettings> {
  const variables = settingsFromEnvironment(environment);
  const isAddressed = (options.url ?? variables.url) !== undefined;
  const profile = await selectedProfile(options.profile?.toString(), environment, isAddressed);
  return connectionSettings(options, variables, profile);
}

/**
 * Makes a client of the installation that options, environment and profile name. Nothing is sent yet. `notify` is called with what the person has
 * to know; with `progress: false` nothing is written about slow responses. Both are for commands that have the screen to themselves.
 *
 * @throws UsageError for what cannot be used: no address, no credentials, credentials that could be read on the way.
 */
export async function connect(options: Options, notify: (words: string) => void = warn): Promise<Connection> {
  const settings = await readConnectionSettings(options);
  if (isNothingGiven(settings)) throw new UsageError(await howToGive());
  const [first, ...others] = settings.addresses.map(addressOf);
  if (!first) throw new UsageError("the profile has no address");
  if (settings.unused !== undefined) notify(unusedProfile(settings.unused));
  const addresses = [first, ...others] as const;
  const { tokenUrl } = settings.credentials;
  const readers = tokenUrl !== undefined && URL.canParse(tokenUrl) ? [...addresses, new URL(tokenUrl)] : addresses;
  for (const reader of readers) refusePlainHttp(reader, settings);
  const tls = tlsOf(settings);
  const direct = settings.isAddressed ? nodeFetch(tls) : guessing(nodeFetch(tls));
  const credentials = await openCredentials(settings.credentials, direct);
  const named = namingRefused(direct, settings, notify);
  const watched: Fetch = options.verbose === true ? shownOnStandardError(named) : named;
  const fetch = new Addresses(addresses, options.progress === false ? watched : withProgressLine(watched), notify);
  const onWarning = notedOnce(notify);
  const common = { baseUrl: rootOf(first), credentials, onWarning };
  const name = settings.profile ?? first.host;
  const isSaid = settings.profile !== undefined && options.progress !== false;
  const onAct = isSaid ? once(() => printInfo(`sending to ${name}`)) : () => {};
  return {
    client: clientOver(fetch, common, onAct),
    polling: clientOver(fetch, { ...common, retryReads: false }, onAct),
    credentials,
    settings,
    consoleRecords: () => consoleRecords(fetch.fetchFor("read"), rootOf(first), credentials),
    address: first,
    addresses,
    tls,
    name,
  };
}

/** A question waits no longer for what it can be asked without. */
const RECORDS_MS = 2_000;

async function consoleRecords(fetch: Fetch, root: string, credentials: Credentials): Promise<unknown> {
  const signal = AbortSignal.timeout(RECORDS_MS);
  try {
    const headers = { Accept: "application/json", Authorization: await credentials.authorization() };
    const response = await fetch(`${root}/console/records.json`, { headers, signal, redirect: "manual" });
    return response.status === 200 ? JSON.parse(await response.text()) : undefined;
  } catch {
    return undefined;
  }
}

function unusedProfile(name: string): string {
  return (
    `the profile ${name} of TRADING_ADMIN_PROFILE is not used, as the address is from --url or TRADING_ADMIN_URL and its credentials are ` +
    `for its own installation; --profile ${name} names it for this address, too`
  );
}

/** A client whose operations travel each in its way; `onAct` is called before each request that is not a read. */
function clientOver(addresses: Addresses, options: Omit<ClientOptions, "fetch">, onAct: () => void): AdminClient {
  const clientFor = (travel: Travel): AdminClient =>
    createClient({ ...options, fetch: acting(travel, addresses.fetchFor(travel), onAct) });
  const clients = { read: clientFor("read"), stop: clientFor("stop"), once: clientFor("once") };
  const names = Object.keys(ROUTES) as CallName[];
  return Object.fromEntries(names.map((name) => [name, clients[travelOf(name)][name]])) as unknown as AdminClient;
}

/** From the first request that is not a read, the exit code matters more than what is printed. */
function acting(travel: Travel, fetch: Fetch, onAct: () => void): Fetch {
  if (travel === "read") return fetch;
  return (url, init) => {
    acts();
    onAct();
    return fetch(url, init);
  };
}

/** Tells each warning once: what reads again and again gets the same ones. */
function notedOnce(notify: (words: string) => void): (warning: Pick<AdminWarning, "message">) => void {
  const noted = new Set<string>();
  return ({ message }) => {
    if (noted.has(message)) return;
    if (noted.size < MAX_SAVED) noted.add(message);
    notify(message);
  };
}

/** Anyone who can read on the way would have the password, the token, or the secret with which tokens are requested. */
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
