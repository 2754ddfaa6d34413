import { setMaxListeners } from "node:events";
import { join, resolve } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { Sequences } from "../../core/load/concurrency.ts";
import { forEachInTurns, LoopTurns, type Turns } from "../../core/load/turns.ts";
import type { Logger } from "../../core/logger.ts";
import { optionsOf } from "../../core/options.ts";
import { within } from "../../core/timeout.ts";
import { messageOf } from "../../core/values/basics.ts";
import { FileWatch, RULES_NOT_RELOADED } from "../../files/file-watch.ts";
import { type AccessRule, type GrantedPermissions, grantPermissions, remarkOnFault } from "../access-rules.ts";
import { DirectoryAuthenticator } from "../basic.ts";
import type { KnownUser } from "../names.ts";
import { ACCESS_RULE_FILE, LDAP_FILE, readSecurityFile } from "../security-file.ts";
import { SIMPLE_OPTIONS, type SimpleAuthentication, type SimpleAuthenticationOptions } from "../simple.ts";
import { importLdapts } from "./connection.ts";
import type { LdapConfiguration } from "./ldap-configuration.ts";
import {
  FailOver,
  type LdapAccess,
  type LdapLogins,
  type LdapUser,
  ldapDirectory,
  NEVER_LOADED,
} from "./ldap-directory.ts";
import { type LdapPrincipals, ldapPrincipals } from "./ldap-principals.ts";
import { loadEntries } from "./load-entries.ts";

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
  reloadIntervalMs: "optional",
  timeoutMs: "optional",
  stopLifetimeMs: "optional",
  maxStartMs: "optional",
  tls: "optional",
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
/** Errors, and warnings, of one reading that are logged: a directory may have hundreds of thousands. */
const MAX_LINES = 200;
/** Guessing must not eat the server's connections. */
const LOGINS_AT_A_TIME = 8;

/**
 * Sets up the mechanism LDAP (specification, "Authentication" 2) with the optional package `ldapts`: users and groups come from
 * the directory that `uac-ldap-security.xml` names, permissions from `uac-access-rules.xml`. Both are read again at an interval
 * and within seconds when a file changes (decision D-UAC 5); new rules do not wait for the directory (D-UAC 22). One that is slow or unreachable does
 * not stop the start: until it was loaded, credentials can be neither accepted nor refused (D-HTTP 10).
 *
 * @throws SecurityFileError when a file is missing or broken; Error when `ldapts` is not installed.
 *
 * @example
 * const { authenticator, close } = await openLdapAuthentication({ directory: "access", log: console });
 */
export async function openLdapAuthentication(options: LdapAuthenticationOptions): Promise<LdapAuthentication> {
  const {
    log,
    clock = systemClock,
    reloadIntervalMs = RELOAD_INTERVAL_MS,
    timeoutMs = TIMEOUT_MS,
    tls,
  } = checked(options);
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

/** Users and groups as they were read, and where logins are checked. */
interface LoadedDirectory extends Pick<LdapLogins, "servers" | "base"> {
  readonly principals: LdapPrincipals;
}

/** The LDAP file and the access rules, as they were read. */
interface LdapFiles {
  readonly configuration: LdapConfiguration;
  readonly ruleText: string;
  readonly rules: readonly AccessRule[];
  readonly warnings: readonly string[];
}

/** Reads files and directory, and activates what they come to. */
class LdapLoader {
  readonly #authenticator: DirectoryAuthenticator;
  /** The LDAP file and the access rules. */
  readonly paths: readonly [string, string];
  users: readonly KnownUser[] = [];
  /** Whether the last attempt to load the directory succeeded. */
  isLoaded = false;
  /** The last attempt that was begun, or waits for one before it: whether it succeeds. Never rejects. */
  loading: Promise<boolean> = Promise.resolve(false);
  readonly #access: LdapAccess;
  readonly #log: Logger;
  readonly #sequences = new Sequences();
  /** Errors and warnings of the last reading. */
  #said: ReadonlySet<string> = new Set();
  #files: LdapFiles | undefined;
  /** Content of the directory when it could last be read. */
  #loaded: LoadedDirectory | undefined;
  #granted: GrantedPermissions | undefined;

  constructor(directory: string, access: LdapAccess, log: Logger, authenticator: DirectoryAuthenticator) {
    this.paths = [join(resolve(directory), LDAP_FILE), join(resolve(directory), ACCESS_RULE_FILE)];
    this.#access = access;
    this.#log = log;
    this.#authenticator = authenticator;
  }

  /**
   * Activates new access rules for the previous users and groups, then begins to load the directory: a directory that is slow must not keep what
   * they take away. Rejects when a file is broken.
   */
  async apply(): Promise<void> {
    const turns = new LoopTurns();
    const files = await readFiles(this.paths, turns);
    const areRulesNew = files.ruleText !== this.#files?.ruleText;
    this.#files = files;
    if (areRulesNew) await this.#grantInTurn(turns);
    this.loading = this.#sequences.run("load", () => this.#load(files.configuration));
  }

  /** A directory that cannot be loaded is an error in the log. */
  async #load(configuration: LdapConfiguration): Promise<boolean> {
    const turns = new LoopTurns();
    try {
      const servers = new FailOver(configuration.servers, this.#access);
      const entries = await servers.attempt((connection) => loadEntries(connection, configuration, turns));
      const base = configuration.searches[0]?.base ?? "";
      this.#loaded = { principals: await ldapPrincipals(entries, configuration, turns), servers, base };
      await this.#grantInTurn(turns);
      this.isLoaded = true;
    } catch (error) {
      this.isLoaded = false;
      if (this.#access.signal.aborted) return false;
      const reason = messageOf(error);
      this.#log.error(`The LDAP directory was not loaded, the previous users and groups stay active: ${reason}`);
    }
    await this.#report(turns);
    return this.isLoaded;
  }

  /** One after the other, each with what is newest then, so that older rules or users never replace newer ones. */
  #grantInTurn(turns: Turns): Promise<void> {
    return this.#sequences.run("grant", async () => {
      if (this.#loaded && this.#files) this.#granted = await this.#grant(this.#loaded, this.#files.rules, turns);
    });
  }

  /** Activates users with the permissions of these rules. */
  async #grant(
    { principals, servers, base }: LoadedDirectory,
    rules: readonly AccessRule[],
    turns: Turns,
  ): Promise<GrantedPermissions> {
    await principals.expandGroups(rules.flatMap((rule) => rule.principals));
    const granted = await grantPermissions(rules, principals, turns);
    const users = new Map<string, LdapUser>();
    const known: KnownUser[] = [];
    await forEachInTurns(turns, principals.users, ([key, name]) => {
      const permissions = granted.permissions.get(key) ?? new Set();
      users.set(key, { name, permissions, dn: principals.userDns.get(key) ?? "" });
      known.push({ name, permissions });
    });
    const directory = await ldapDirectory({ users, servers, base }, turns);
    if (this.#access.signal.aborted) return granted;
    this.users = known;
    this.#authenticator.replaceDirectory(directory);
    return granted;
  }

  /** Logs faults that the reading before did not have. */
  async #report(turns: Turns): Promise<void> {
    const { errors = [], warnings = [] } = this.#loaded?.principals ?? {};
    const allErrors = [...errors, ...(this.#granted?.faults.map(remarkOnFault) ?? [])];
    const allWarnings = [...(this.#files?.warnings ?? []), ...warnings, ...(this.#granted?.warnings ?? [])];
    const news = (texts: readonly string[]): readonly string[] => {
      const unsaid = [...new Set(texts)].filter((text) => !this.#said.has(text));
      const more = unsaid.length - MAX_LINES;
      return more > 0 ? [...unsaid.slice(0, MAX_LINES), `LDAP: ${more} more like these are not logged`] : unsaid;
    };
    await forEachInTurns(turns, news(allErrors), (error) => this.#log.error(error));
    await forEachInTurns(turns, news(allWarnings), (warning) => this.#log.warn(warning));
    this.#said = new Set([...allErrors, ...allWarnings]);
  }
}

async function readFiles([ldapFile, ruleFile]: readonly [string, string], turns: Turns): Promise<LdapFiles> {
  // Who has another mechanism needs no XML parser.
  const { readLdapFile } = await import("./ldap-file.ts");
  const { readAccessRules } = await import("../access-rule-file.ts");
  const ldap = await readLdapFile(ldapFile, await readSecurityFile(ldapFile), turns);
  const ruleText = await readSecurityFile(ruleFile);
  const { rules, warnings } = await readAccessRules(ruleFile, ruleText, turns);
  return { configuration: ldap.configuration, ruleText, rules, warnings: [...ldap.warnings, ...warnings] };
}
