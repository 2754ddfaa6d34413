import { join, resolve } from "node:path";
import { Sequences } from "../../core/load/concurrency.ts";
import { forEachInTurns, LoopTurns, type Turns } from "../../core/load/turns.ts";
import type { Logger } from "../../core/logger.ts";
import { messageOf } from "../../core/values/basics.ts";
import { type AccessRule, type GrantedPermissions, grantPermissions, remarkOnFault } from "../access-rules.ts";
import type { DirectoryAuthenticator } from "../basic.ts";
import type { KnownUser } from "../names.ts";
import { ACCESS_RULE_FILE, LDAP_FILE, readSecurityFile } from "../security-file.ts";
import type { LdapConfiguration } from "./ldap-configuration.ts";
import { FailOver, type LdapAccess, type LdapLogins, type LdapUser, ldapDirectory } from "./ldap-directory.ts";
import { type LdapPrincipals, ldapPrincipals } from "./ldap-principals.ts";
import { loadEntries } from "./load-entries.ts";

/** Errors, and warnings, of one reading that are logged: a directory may have hundreds of thousands. */
const MAX_LINES = 200;

/** Users and groups as they were read, and where logins are checked. */
interface LoadedDirectory extends Pick<LdapLogins, "servers" | "base"> {
  readonly principals: LdapPrincipals;
}

/** The LDAP file and the access rules, as they were read. */
interface LdapFiles {
  readonly ldapText: string;
  readonly configuration: LdapConfiguration;
  readonly ruleText: string;
  readonly rules: readonly AccessRule[];
  readonly warnings: readonly string[];
}

/** Reads files and directory, and activates what they come to. */
export class LdapLoader {
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
  /** The LDAP file of the load that waits for one in progress. */
  #waiting: string | undefined;
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
   * Activates new access rules for the previous users and groups, and begins to load the directory: one that is slow must not keep what they take
   * away. Rejects when a file is broken.
   */
  async apply(): Promise<void> {
    const turns = new LoopTurns();
    const files = await readFiles(this.paths, turns);
    const areRulesNew = files.ruleText !== this.#files?.ruleText;
    this.#files = files;
    const granting = areRulesNew ? this.#grantInTurn(turns) : undefined;
    if (files.ldapText !== this.#waiting) this.#loadInTurn(files);
    await granting;
  }

  /** A load by another LDAP file is not waited for; behind one by the same file at most one waits, however often the rules change. */
  #loadInTurn(files: LdapFiles): void {
    this.#waiting = files.ldapText;
    this.loading = this.#sequences.run(`load ${files.ldapText}`, () => {
      if (files.ldapText === this.#waiting) this.#waiting = undefined;
      return this.#load(files);
    });
  }

  /** A directory that cannot be loaded is an error in the log; the result of a load counts only while its LDAP file does. */
  async #load({ configuration, ldapText }: LdapFiles): Promise<boolean> {
    const turns = new LoopTurns();
    const isOutdated = (): boolean => ldapText !== this.#files?.ldapText;
    if (isOutdated()) return this.loading;
    try {
      const loaded = await this.#read(configuration, turns);
      if (isOutdated()) return this.loading;
      this.#loaded = loaded;
      await this.#grantInTurn(turns);
      this.isLoaded = true;
    } catch (error) {
      if (isOutdated()) return this.loading;
      this.isLoaded = false;
      if (this.#access.signal.aborted) return false;
      const reason = messageOf(error);
      this.#log.error(`The LDAP directory was not loaded, the previous users and groups stay active: ${reason}`);
    }
    await this.#report(turns);
    return this.isLoaded;
  }

  async #read(configuration: LdapConfiguration, turns: Turns): Promise<LoadedDirectory> {
    const servers = new FailOver(configuration.servers, this.#access);
    const entries = await servers.attempt((connection) => loadEntries(connection, configuration, turns));
    const base = configuration.searches[0]?.base ?? "";
    return { principals: await ldapPrincipals(entries, configuration, turns), servers, base };
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
  const ldapText = await readSecurityFile(ldapFile);
  const { configuration, ...ldap } = await readLdapFile(ldapFile, ldapText, turns);
  const ruleText = await readSecurityFile(ruleFile);
  const { rules, warnings } = await readAccessRules(ruleFile, ruleText, turns);
  return { ldapText, configuration, ruleText, rules, warnings: [...ldap.warnings, ...warnings] };
}
