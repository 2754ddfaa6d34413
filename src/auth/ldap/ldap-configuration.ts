import type { LdapServer } from "./server-address.ts";

/** The content of `uac-ldap-security.xml`. */
export interface LdapConfiguration {
  /** In the order in which they are tried; at least one. */
  readonly servers: readonly LdapServer[];
  /** The service account; undefined for anonymous. */
  readonly account: LdapAccount | undefined;
  readonly searches: readonly GroupSearch[];
  readonly user: EntryBinding;
  readonly group: GroupBinding;
}

/** Distinguished name and password of the service account. */
export interface LdapAccount {
  readonly dn: string;
  readonly password: string;
}

/** Where groups are found: below `base`, at any depth. */
export interface GroupSearch {
  readonly base: string;
  /** RFC 4515. */
  readonly filter: string;
}

/** Which entries are users or groups, and which attributes say what of them. Names as written in the file. */
export interface EntryBinding {
  readonly objectClasses: readonly string[];
  /** Attribute with the name under which the access rules know the entry. */
  readonly id: string;
  /** Attribute with the distinguished name; undefined for the name of the entry itself. */
  readonly distinguishedName: string | undefined;
}

/** The binding of groups. */
export interface GroupBinding extends EntryBinding {
  /** Attribute with the distinguished names of the members; undefined for groups without members. */
  readonly members: string | undefined;
}
