import { quoted } from "../security-file-error.ts";
import { attributeOf, faultIn, type XmlElement } from "../xml.ts";
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

export interface GroupBinding extends EntryBinding {
  /** Attribute with the distinguished names of the members; undefined for groups without members. */
  readonly members: string | undefined;
}

/** Meanings that an attribute of an entry can have; `setName` and `setDescription` are for people and mean nothing here. */
const FIELDS = ["id", "distinguishedName"];
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  user: ["setName", "setDescription"],
  group: ["setName", "setDescription", "setMembers"],
};
/** RFC 4512 section 2.5: a name or an object identifier, with options. */
const ATTRIBUTE_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*(;[A-Za-z0-9-]+)*$/;

/**
 * Reads the `<user>` or `<group>` element of `uac-ldap-security.xml`.
 *
 * @throws SecurityFileError when an attribute stands for nothing or something unknown, or none for the id.
 */
export function readBinding(element: XmlElement): GroupBinding {
  const attributes = element.children.filter(({ name }) => name === "attribute");
  const targets = new Map<string, string>();
  for (const attribute of attributes) {
    const target = targetOf(element.name, attribute);
    if (targets.has(target)) throw faultIn(attribute, `a second <attribute> for ${target} in <${element.name}>`);
    targets.set(target, nameOf(attribute));
  }
  const id = targets.get("id");
  if (id === undefined) throw faultIn(element, `<${element.name}> needs an <attribute> with field="id"`);
  return {
    objectClasses: element.children.filter(({ name }) => name === "objectClass").map(({ text }) => text.trim()),
    id,
    distinguishedName: targets.get("distinguishedName"),
    members: targets.get("setMembers"),
  };
}

function targetOf(binding: string, attribute: XmlElement): string {
  const field = attributeOf(attribute, "field")?.trim();
  const property = attributeOf(attribute, "property")?.trim();
  if ((field === undefined) === (property === undefined)) {
    throw faultIn(attribute, "<attribute> needs either a field or a property");
  }
  const [kind, allowed] = field === undefined ? ["property", PROPERTIES[binding] ?? []] : ["field", FIELDS];
  const target = field ?? property ?? "";
  if (allowed.includes(target)) return target;
  const reason = `${kind} of <attribute> in <${binding}> is ${quoted(target)} instead of ${allowed.join(", ")}`;
  throw faultIn(attribute, reason);
}

function nameOf(attribute: XmlElement): string {
  const name = attributeOf(attribute, "name")?.trim() ?? "";
  if (ATTRIBUTE_NAME.test(name)) return name;
  throw faultIn(attribute, `${quoted(name)} is not a valid name of an LDAP attribute`);
}
