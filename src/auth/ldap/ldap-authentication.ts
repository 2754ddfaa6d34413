import { setMaxListeners } from "node:events";
import { systemClock } from "../../core/clock.ts";
import { harmlessLog } from "../../core/host-calls.ts";
import { fieldsOf, ifGiven, MS, optionsOf, SOME_MS, textLike } from "../../core/options.ts";
import { within } from "../../core/timeout.ts";
import { FileWatch, RULES_NOT_RELOADED } from "../../files/file-watch.ts";
import { DirectoryAuthenticator } from "../basic.ts";
import { SIMPLE_OPTIONS, type SimpleAuthentication, type SimpleAuthenticationOptions } from "../simple.ts";
import { importLdapts } from "./connection.ts";
import { NEVER_LOADED } from "./ldap-directory.ts";
import { LdapLoader } from "./ldap-loader.ts";

/** Where the access files are, and how the directory is reached. */
export interface LdapAuthenticationOptions extends Omit<SimpleAuthenticationOptions, "environment"> {
  /** Directory of `uac-ldap-security.xml` and `uac-access-rules.xml`. */
  readonly directory: string;
  /** Time between two readings of users and groups, in milliseconds; 60,000 unless given. */
  readonly reloadIntervalMs?: number;
  /** For each step: to connect, for the TLS handshake, for a response of the server, in milliseconds; 5,000 unless given. */
  readonly timeoutMs?: number;
  /**
   * How long credentials that the directory has accepted are worth a stop while it is unreachable, in milliseconds; 12 hours
   * unless given, 0 lets no one in.
   */
  readonly stopLifetimeMs?: number;
  /** Longest wait for the first reading of the directory, in milliseconds, which then continues; 10,000 unless given. */
  readonly maxStartMs?: number;
  /** Certificate authorities of the servers, PEM; those of Node unless given. */
  readonly tls?: { readonly ca?: string };
}

const { environment: _, ...ofFiles } = SIMPLE_OPTIONS;

const checked = optionsOf<LdapAuthenticationOptions>("openLdapAuthentication", {
  ...ofFiles,
  reloadIntervalMs: ifGiven(SOME_MS),
  timeoutMs: ifGiven(SOME_MS),
  stopLifetimeMs: ifGiven(MS),
  maxStartMs: ifGiven(MS),
  tls: ifGiven(fieldsOf<{ readonly ca?: string }>({ ca: ifGiven(textLike("a certificate as PEM")) })),
});

/** HTTP Basic against an LDAP directory that is read again from time to time; without users until it was loaded for the first time. */
export type LdapAuthentication = SimpleAuthentication;

const RELOAD_INTERVAL_MS = 60_000;
const STOP_LIFETIME_MS = 12 * 60 * 60 * 1000;
/** Until the next attempt after one that failed. */
const RETRY_MS = 10_000;
const TIMEOUT_MS = 5000;
/** A gateway that does not listen soon is killed where it is watched. */
const MAX_START_MS = 10_000;
const STILL_LOADING = "The LDAP directory is still being read; until it has been, all logins get 500";
/** Guessing must not eat the server's connections. */
const LOGINS_AT_A_TIME = 8;

/**
 * Sets up the mechanism LDAP (specification, "Authentication" 2) with the optional package `ldapts`: users and groups come from
 * the directory that `uac-ldap-security.xml` names, permissions from `uac-access-rules.xml`. Both are read again at an interval
 * and within seconds when a file changes; new rules do not wait for the directory. One that is slow or unreachable does
 * not stop the start: until it was loaded, credentials can be neither accepted nor refused.
 *
 * @throws SecurityFileError when a file is missing or broken; Error when `ldapts` is not installed.
 *
 * @example
 * const { authenticator, close } = await openLdapAuthentication({ directory: "access", log: console });
 */
export async function openLdapAuthentication(options: LdapAuthenticationOptions): Promise<LdapAuthentication> {
  const { clock = systemClock, reloadIntervalMs = RELOAD_INTERVAL_MS, timeoutMs = TIMEOUT_MS, tls } = checked(options);
  const log = harmlessLog(options.log);
  const ldapts = await importLdapts();
  const closing = new AbortController();
  // Each open connection listens.
  setMaxListeners(0, closing.signal);
  const access = { ldapts, clock, timeoutMs, ca: tls?.ca, signal: closing.signal };
  const { maxLoginDelayMs: maxDelayMs, sharedFailures } = options;
  const limits = { checksAtATime: LOGINS_AT_A_TIME, maxDelayMs, sharedFailures };
  const stops = { lifetimeMs: options.stopLifetimeMs ?? STOP_LIFETIME_MS, log };
  const authenticator = new DirectoryAuthenticator(NEVER_LOADED, clock, limits, stops);
  const loader = new LdapLoader(options.directory, access, log, authenticator);
  const apply = (): Promise<void> => loader.apply();
  const watch = await FileWatch.open({ paths: loader.paths, apply, clock, log, failure: RULES_NOT_RELOADED });
  const reload = async (): Promise<boolean> => (await watch.reload()) && (await loader.loading);
  let cancel = (): void => {};

  function schedule(): void {
    if (closing.signal.aborted) return;
    const delay = loader.isLoaded ? reloadIntervalMs : Math.min(RETRY_MS, reloadIntervalMs);
    cancel = clock.schedule(delay, () => void reload().then(schedule));
  }

  void loader.loading.then(schedule);
  await within(clock, options.maxStartMs ?? MAX_START_MS, loader.loading, STILL_LOADING).catch((error: Error) =>
    log.warn(error.message),
  );
  return {
    authenticator,
    users: () => loader.users,
    reload,
    close: () => {
      closing.abort();
      cancel();
      watch.close();
    },
  };
}
