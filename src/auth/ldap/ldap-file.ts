import type { Turns } from "../../core/load/turns.ts";
import { checkShape, type ElementShape, TEXT } from "../document-shape.ts";
import { unmangle } from "../passwords/mangled.ts";
import { quoted } from "../security-file-error.ts";
import { attributeOf, faultIn, parseXml, remarkOn, type XmlElement } from "../xml.ts";
import { reasonInOneLine } from "./connection.ts";
import { encodeFilter } from "./filter.ts";
import { type GroupSearch, type LdapAccount, type LdapConfiguration, readBinding } from "./ldap-configuration.ts";
import { isReadableOnTheWay, type LdapServer, parseLdapUrl } from "./server-address.ts";

export interface LdapFile {
  readonly configuration: LdapConfiguration;
  /** `file:line:column: text` each. */
  readonly warnings: readonly string[];
}

const BINDING: ElementShape = {
  once: true,
  children: { objectClass: TEXT, attribute: { attributes: ["name", "field", "property"] } },
};
const SHAPE: ElementShape = {
  children: {
    vendor: { ...TEXT, once: true },
    connection: TEXT,
    credentials: { once: true, children: { username: { ...TEXT, once: true }, key: { ...TEXT, once: true } } },
    groups: { attributes: ["node", "filter"] },
    user: BINDING,
    group: BINDING,
  },
};

/**
 * Reads where the directory is and how its entries become users and groups.
 *
 * @throws SecurityFileError when the XML or anything in it is not what the format says (decision D-UAC 4), or the password of
 * the service account is empty (D-UAC 1) or undecodable. No message holds it.
 */
export async function readLdapFile(file: string, source: string, turns: Turns): Promise<LdapFile> {
  const root = await parseXml(file, source, turns);
  const warnings = await checkShape(root, "config", SHAPE, turns);
  const reader = new LdapFileReader(root, warnings);
  reader.checkVendor();
  const configuration = {
    servers: reader.readServers(),
    account: reader.readAccount(),
    searches: reader.readSearches(),
    user: reader.readUser(),
    group: reader.readGroup(),
  };
  return { configuration, warnings };
}

class LdapFileReader {
  readonly #root: XmlElement;
  readonly #warnings: string[];

  constructor(root: XmlElement, warnings: string[]) {
    this.#root = root;
    this.#warnings = warnings;
  }

  /** The bindings state what differs between vendors. */
  checkVendor(): void {
    const [vendor] = this.#elements("vendor");
    if (!vendor || ["ApacheDS", "ActiveDirectory"].includes(vendor.text.trim())) return;
    throw faultIn(vendor, `<vendor> is ${quoted(vendor.text.trim())} instead of ApacheDS, ActiveDirectory`);
  }

  readServers(): readonly LdapServer[] {
    return this.#required("connection").flatMap((element) => {
      const urls = element.text.split(/\s+/).filter((url) => url !== "");
      if (urls.length === 0) throw faultIn(element, "<connection> is empty; write the URL of a server");
      return urls.map((url) => this.#readServer(element, url));
    });
  }

  readAccount(): LdapAccount | undefined {
    const [credentials] = this.#elements("credentials");
    if (!credentials) return undefined;
    const dn = this.#textIn(credentials, "username");
    const key = this.#textIn(credentials, "key");
    const password = unmangle(key, dn);
    if (password === undefined) {
      const advice =
        "it is the mangled password in hex, without EV, and <username> is the passphrase it was mangled with";
      throw faultIn(credentials, `the <key> cannot be decoded; ${advice}`);
    }
    if (password === "") throw faultIn(credentials, "the password in <key> is empty");
    return { dn, password };
  }

  readSearches(): readonly GroupSearch[] {
    return this.#required("groups").map((element) => {
      const filter = this.#attribute(element, "filter");
      try {
        encodeFilter(filter);
      } catch (cause) {
        throw faultIn(element, `the filter ${quoted(filter)} is malformed: ${reasonInOneLine(cause)}`, { cause });
      }
      return { base: this.#attribute(element, "node"), filter };
    });
  }

  readUser(): LdapConfiguration["user"] {
    return readBinding(this.#single("user"));
  }

  readGroup(): LdapConfiguration["group"] {
    const element = this.#single("group");
    const binding = readBinding(element);
    if (binding.members === undefined) {
      this.#warn(element, 'groups have no members: no <attribute> has property="setMembers"');
    }
    return binding;
  }

  #readServer(element: XmlElement, url: string): LdapServer {
    const server = parseLdapUrl(url);
    if (typeof server === "string") {
      // The URL itself may hold a password.
      throw faultIn(element, `the URL in <connection> ${server}`);
    }
    if (isReadableOnTheWay(server)) {
      this.#warn(element, `passwords go to ${url} in clear text; use ldaps:// or ldap+starttls://`);
    }
    return server;
  }

  #elements(name: string): readonly XmlElement[] {
    return this.#root.children.filter((child) => child.name === name);
  }

  #required(name: string): readonly XmlElement[] {
    const found = this.#elements(name);
    if (found.length === 0) throw faultIn(this.#root, `<${name}> is missing in <config>`);
    return found;
  }

  #single(name: string): XmlElement {
    return this.#required(name)[0] ?? this.#root;
  }

  #textIn(parent: XmlElement, name: string): string {
    const text = parent.children.find((child) => child.name === name)?.text.trim() ?? "";
    if (text === "")
      throw faultIn(parent, `<${name}> is missing or empty; for an anonymous bind remove <${parent.name}>`);
    return text;
  }

  #attribute(element: XmlElement, name: string): string {
    const value = attributeOf(element, name)?.trim() ?? "";
    if (value === "") throw faultIn(element, `<${element.name}> needs the attribute ${name}`);
    return value;
  }

  #warn(element: XmlElement, text: string): void {
    this.#warnings.push(remarkOn(element, text));
  }
}
