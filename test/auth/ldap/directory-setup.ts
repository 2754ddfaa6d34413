import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "ldapts";
import type { Authentication } from "../../../src/auth/authenticator.ts";
import {
  type LdapAuthentication,
  type LdapAuthenticationOptions,
  openLdapAuthentication,
} from "../../../src/auth/ldap/ldap-authentication.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { ADMIN_DN, ADMIN_PASSWORD, SERVICE_DN, type Slapd, SUFFIX } from "../../support/slapd.ts";
import { allow, basic, document, ruleDocument } from "../access-files.ts";

export const PEOPLE = `ou=people,${SUFFIX}`;
export const GROUPS = `ou=groups,${SUFFIX}`;
/** The password of the service account, mangled by the JDK's own cipher with the name of the account as passphrase. */
const SERVICE_KEY = "df5089cb0e38c618";
/** Another password, mangled with the same passphrase. */
export const WRONG_KEY = "9179b485adc045a4";

const UNITS = `dn: ${PEOPLE}
objectClass: organizationalUnit
ou: people

dn: ${GROUPS}
objectClass: organizationalUnit
ou: groups

`;

/** A person whose password is `password of NAME`. */
export function person(name: string, unit = PEOPLE): string {
  const classes = ["person", "organizationalPerson", "inetOrgPerson"].map((kind) => `objectClass: ${kind}\n`);
  return `dn: cn=${name},${unit}\n${classes.join("")}cn: ${name}\nsn: ${name}\nuserPassword: password of ${name}\n\n`;
}

/** A group; its members by name of the entry, `cn=alice,ou=people,...`. */
export function group(name: string, ...members: readonly string[]): string {
  const lines = members.map((member) => `uniqueMember: ${member}\n`);
  return `dn: cn=${name},${GROUPS}\nobjectClass: groupOfUniqueNames\ncn: ${name}\n${lines.join("")}\n`;
}

/** The name of a person's entry. */
export function dnOf(name: string, unit = PEOPLE): string {
  return `cn=${name},${unit}`;
}

/** Entries in LDIF below the two units. */
export function tree(...entries: readonly string[]): string {
  return UNITS + entries.join("");
}

/** What `uac-ldap-security.xml` says in a test, where it is not the usual. */
export interface LdapFileParts {
  readonly credentials?: string;
  readonly groups?: string;
  readonly user?: string;
  readonly group?: string;
}

/** `uac-ldap-security.xml` for these servers. */
export function ldapDocument(urls: readonly string[], parts: LdapFileParts = {}): string {
  const {
    credentials = `<credentials><username>${SERVICE_DN}</username><key>${SERVICE_KEY}</key></credentials>`,
    groups = `<groups node="${GROUPS}" filter="(objectClass=groupOfUniqueNames)"/>`,
    user = "<objectClass>person</objectClass><objectClass>inetOrgPerson</objectClass>" +
      '<attribute name="cn" field="id"/><attribute name="entryDN" field="distinguishedName"/>',
    group: groupBinding = "<objectClass>groupOfUniqueNames</objectClass>" +
      '<attribute name="cn" field="id"/><attribute name="entryDN" field="distinguishedName"/>' +
      '<attribute name="uniqueMember" property="setMembers"/>',
  } = parts;
  const connections = urls.map((url) => `<connection>${url}</connection>`).join("");
  const bindings = `<user>${user}</user><group>${groupBinding}</group>`;
  return document("config", `<vendor>ApacheDS</vendor>${connections}${credentials}${groups}${bindings}`);
}

/** The plain URL of a server. */
export function urlOf(slapd: Slapd): string {
  return `ldap://127.0.0.1:${slapd.port}`;
}

/** Access files in a folder, and the authentication over them. */
export class LdapRig {
  readonly clock = new ManualClock();
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  readonly directory: string;
  #opened: LdapAuthentication | undefined;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async create(): Promise<LdapRig> {
    const rig = new LdapRig(await mkdtemp(join(tmpdir(), "ldap-files-")));
    await rig.writeRules(allow("traders", "HALT_RESUME_TRADING"));
    return rig;
  }

  async open(options: Partial<LdapAuthenticationOptions> = {}): Promise<LdapAuthentication> {
    const { directory, clock, warnings, errors } = this;
    const log = {
      info: () => {},
      warn: (text: string) => warnings.push(text),
      error: (text: string) => errors.push(text),
    };
    this.#opened = await openLdapAuthentication({ directory, clock, log, timeoutMs: 60_000, ...options });
    return this.#opened;
  }

  get authentication(): LdapAuthentication {
    if (!this.#opened) throw new Error("open it first");
    return this.#opened;
  }

  async login(name: string, password = `password of ${name}`): Promise<Authentication> {
    return this.authentication.authenticator.authenticate(basic(name, password));
  }

  /** As {@link login}, for an operation of the lane `stop`. */
  async loginForStop(name: string, password = `password of ${name}`): Promise<Authentication> {
    const caller = { address: undefined, isStop: true };
    return this.authentication.authenticator.authenticate(basic(name, password), caller);
  }

  async kindOf(name: string, password?: string): Promise<Authentication["kind"]> {
    return (await this.login(name, password)).kind;
  }

  /** Names of the users who may log in. */
  get users(): readonly string[] {
    return this.authentication.users().map(({ name }) => name);
  }

  writeLdap(text: string): Promise<void> {
    return writeFile(join(this.directory, "uac-ldap-security.xml"), text);
  }

  writeRules(...rules: readonly string[]): Promise<void> {
    return writeFile(join(this.directory, "uac-access-rules.xml"), ruleDocument(...rules));
  }

  async close(): Promise<void> {
    this.#opened?.close();
    this.#opened = undefined;
    await rm(this.directory, { recursive: true });
  }
}

/** Changes the directory as its administrator. */
export async function change(slapd: Slapd, task: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ url: urlOf(slapd), timeout: 60_000 });
  try {
    await client.bind(ADMIN_DN, ADMIN_PASSWORD);
    await task(client);
  } finally {
    await client.unbind();
  }
}
