import { BASE_PATH } from "../../core/conventions.ts";
import { hostOf, isLoopback, withoutSecrets } from "../../core/urls.ts";
import { UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";

/** Settings of a connection, each value from the first source that gives it. */
export interface ConnectionSettings {
  /** Name of the profile in use. */
  readonly profile: string | undefined;
  /** Name of a profile that a variable names, and that is not used as the address is from elsewhere. */
  readonly unused: string | undefined;
  /** The profile is marked as production. */
  readonly production: boolean;
  /** Addresses of the installation, in the order in which they are tried. */
  readonly addresses: readonly string[];
  /** Something says which; otherwise it is the one that gateways have unless set. */
  readonly isAddressed: boolean;
  readonly credentials: CredentialSettings;
  /** Where each of the credentials is from: `the command line`, `the environment`, `profile london`. */
  readonly origins: CredentialSettings;
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly allowPlainHttp: boolean;
}

/** Identity of the caller; files are paths, `-` for standard input. */
export type CredentialSettings = Readonly<Partial<Record<(typeof CREDENTIAL_KEYS)[number], string>>>;

/** One source of settings: the command line, the environment, or a profile. */
export type Source = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Where commands look for a gateway unless an address is given. */
const DEFAULT_ADDRESS = "http://127.0.0.1:8988";

/** Settings that identify the caller, the most specific first; the first source that has one of them decides. */
const KINDS = ["tokenUrl", "tokenFile", "user", "token"] as const;

const PASSWORD_KEYS = ["password", "passwordFile", "passwordCommand"] as const;

const GRANT_KEYS = ["clientId", "clientSecretFile", "scope", "audience", "resource"] as const;

const CREDENTIAL_KEYS = [...KINDS, ...PASSWORD_KEYS, ...GRANT_KEYS] as const;

export function settingsFromEnvironment(environment: NodeJS.ProcessEnv): Source {
  return {
    url: environment.TRADING_ADMIN_URL || undefined,
    user: environment.TRADING_ADMIN_USER || undefined,
    password: environment.TRADING_ADMIN_PASSWORD || undefined,
    passwordFile: environment.TRADING_ADMIN_PASSWORD_FILE || undefined,
    token: environment.TRADING_ADMIN_TOKEN || undefined,
  };
}

/**
 * Puts sources together. The profile comes right behind the source that named it, so what is typed goes before what the
 * environment says. One that a variable names or that is in use comes last, and not at all when an address was given otherwise: its
 * password would go to another installation (decision D-CLI 6).
 */
export function connectionSettings(
  options: Options,
  environment: Source,
  profile:
    | { readonly name: string; readonly values: Source; readonly from: "option" | "variable" | "current" }
    | undefined,
): ConnectionSettings {
  const isElsewhere = profile?.from !== "option" && (options.url ?? environment.url) !== undefined;
  const used = isElsewhere ? undefined : profile;
  const values: Source = used?.values ?? {};
  const sources: readonly Source[] =
    used?.from === "option" ? [options, values, environment] : [options, environment, values];
  const text = (key: string): string | undefined => textOf(firstOf(sources, key));
  const credentials = credentialsOf(sources);
  const nameOf = (source: Source): string =>
    source === options ? "the command line" : source === environment ? "the environment" : `profile ${used?.name}`;
  return {
    profile: used?.name,
    unused: isElsewhere && profile?.from === "variable" ? profile.name : undefined,
    production: values.production === true,
    addresses: addressesOf(sources),
    isAddressed: sources.some(({ url, addresses }) => url !== undefined || addresses !== undefined),
    credentials,
    origins: originsOf(credentials, sources, nameOf),
    ca: text("ca"),
    certificate: text("certificate"),
    privateKey: text("privateKey"),
    allowPlainHttp: firstOf(sources, "allowPlainHttp") === true,
  };
}

function firstOf(sources: readonly Source[], key: string): Source[string] {
  return sources.find((source) => source[key] !== undefined)?.[key];
}

function textOf(value: Source[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function addressesOf(sources: readonly Source[]): readonly string[] {
  for (const { url, addresses } of sources) {
    if (Array.isArray(addresses)) return addresses;
    if (typeof url === "string") return url.split(",");
  }
  return [DEFAULT_ADDRESS];
}

/** Secrets of a source are for the user of that source or of one before it, never for another one that was typed. */
function credentialsOf(sources: readonly Source[]): CredentialSettings {
  const deciding = sources.findIndex((source) => KINDS.some((key) => source[key] !== undefined));
  if (deciding < 0) return {};
  const kind = KINDS.find((key) => sources[deciding]?.[key] !== undefined);
  const own = sources.slice(0, deciding + 1);
  const found = CREDENTIAL_KEYS.map((key) => [key, textOf(firstOf(own, key))] as const);
  const given = Object.fromEntries(found.filter(([, value]) => value !== undefined)) as CredentialSettings;
  if (kind !== "user" || hasPassword(given)) return only(kind, given);
  return only(kind, { ...given, ...passwordOf(sources.slice(deciding + 1), given.user) });
}

function originsOf(
  credentials: CredentialSettings,
  sources: readonly Source[],
  nameOf: (source: Source) => string,
): CredentialSettings {
  const origins = Object.entries(credentials).flatMap(([key, value]) => {
    const source = sources.find((candidate) => candidate[key] === value);
    return source ? [[key, nameOf(source)]] : [];
  });
  return Object.fromEntries(origins);
}

function hasPassword(settings: CredentialSettings): boolean {
  return PASSWORD_KEYS.some((key) => settings[key] !== undefined);
}

/** A password that a later source has for this user, or for no user in particular, as the environment may. */
function passwordOf(later: readonly Source[], user: string | undefined): CredentialSettings {
  const own = later.filter((source) => source.user === undefined || source.user === user);
  const source = own.find((candidate) => hasPassword(candidate as CredentialSettings)) as
    | CredentialSettings
    | undefined;
  return Object.fromEntries(PASSWORD_KEYS.flatMap((key) => (source?.[key] === undefined ? [] : [[key, source[key]]])));
}

/** Leaves out the other ways to say who calls, so that there is one. */
function only(kind: (typeof KINDS)[number] | undefined, given: CredentialSettings): CredentialSettings {
  const others = new Set<string>(KINDS.filter((key) => key !== kind));
  return Object.fromEntries(Object.entries(given).filter(([key]) => !others.has(key)));
}

/**
 * An address as it was typed, as a URL. Without a scheme it is `http:` on this machine and `https:` elsewhere.
 *
 * @throws UsageError that quotes what was typed.
 */
export function addressOf(typed: string): URL {
  const text = typed.trim();
  const plain = URL.canParse(`http://${text}`) && isLoopback(hostOf(new URL(`http://${text}`)));
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${plain ? "http" : "https"}://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  // Credentials that were typed here are not repeated in a message.
  const shown = JSON.stringify(withoutSecrets(full).slice(full.length - text.length));
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`the address ${shown} is not an http or https URL such as https://monitor:8988`);
  }
  if (url.username || url.password) throw new UsageError(`the address ${shown} must not hold a user and a password`);
  // Documents call the address with this path the API; requests add it themselves.
  url.pathname = url.pathname.replace(new RegExp(`${BASE_PATH}(/.*)?$`), "");
  if (url.hash || url.search) throw new UsageError(`the address ${shown} must not hold a query or a fragment`);
  return url;
}
