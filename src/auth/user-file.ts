import { forEachInTurns, type Turns } from "../core/load/turns.ts";
import type { Environment } from "../core/values/basics.ts";
import { checkShape, type ElementShape, TEXT } from "./document-shape.ts";
import { type SubstitutedText, substituteEnvironment, unresolvedIn } from "./environment.ts";
import { nameKey, type Principals } from "./names.ts";
import { UnusablePasswordError } from "./passwords/password-hash.ts";
import { type PasswordReading, readPassword, type StoredPassword } from "./passwords/stored-password.ts";
import { quoted, SecurityFileError } from "./security-file-error.ts";
import { attributeOf, faultIn, parseXml, remarkOn, type XmlElement } from "./xml.ts";

/** The content of `uac-file-security.xml`. */
export interface UserFile {
  readonly principals: Principals;
  /** Passwords by key of the user. */
  readonly passwords: ReadonlyMap<string, StoredPassword>;
  /** Skipped entries and passwords in plain text; `file:line:column: text` each. */
  readonly warnings: readonly string[];
  /** Which entries are refused, as their names are equal; likewise. */
  readonly errors: readonly string[];
}

const SHAPE: ElementShape = {
  children: {
    users: {
      once: true,
      children: { user: { attributes: ["id"], children: { password: { ...TEXT, once: true } } } },
    },
    groups: { once: true, children: { group: { attributes: ["id"], children: { principal: TEXT } } } },
  },
};

/**
 * Reads users and groups. `${NAME}` is replaced before the XML is parsed, so a value that holds `<` or `&` has to be written
 * as XML in the variable.
 *
 * @throws SecurityFileError when the XML is broken or a password is empty, malformed or undecodable (decisions D-UAC 1, D-UAC 4).
 * No message holds a password or the value of a variable.
 */
export async function readUserFile(
  file: string,
  source: string,
  environment: Environment,
  turns: Turns,
): Promise<UserFile> {
  const substituted = substituteEnvironment(source, environment);
  const { root, warnings } = await parseSubstituted(file, source, substituted, turns);
  const reader = new UserReader(substituted.unresolved, warnings);
  const [users, groups] = [elementsIn(root, "users"), elementsIn(root, "groups")];
  await reader.refuseTwins([...users, ...groups], turns);
  await forEachInTurns(turns, users, (user) => reader.readUser(user));
  await forEachInTurns(turns, groups, (group) => reader.readGroup(group));
  return { principals: reader, passwords: reader.passwords, warnings, errors: reader.errors };
}

interface ParsedFile {
  readonly root: XmlElement;
  readonly warnings: string[];
}

async function parse(file: string, text: string, turns: Turns): Promise<ParsedFile> {
  const root = await parseXml(file, text, turns);
  return { root, warnings: await checkShape(root, "config", SHAPE, turns) };
}

async function parseSubstituted(
  file: string,
  source: string,
  { text, replaced }: SubstitutedText,
  turns: Turns,
): Promise<ParsedFile> {
  try {
    return await parse(file, text, turns);
  } catch (error) {
    const [first] = replaced;
    if (!first) throw error;
    // What is wrong with the file itself is reported first. If nothing is, a value broke it: that reason may quote the value.
    await parse(file, source, turns);
    const names = [...new Set(replaced.map(({ name }) => name))].join(", ");
    const advice = 'in a value, write "<" as &lt; and "&" as &amp;, or use a password hash';
    const reason = `the file is not valid XML once environment variables are filled in (${names}); ${advice}`;
    throw new SecurityFileError(file, first.position, reason);
  }
}

function elementsIn(root: XmlElement, list: string): readonly XmlElement[] {
  return root.children.find(({ name }) => name === list)?.children ?? [];
}

function idOf(element: XmlElement): string {
  return attributeOf(element, "id")?.trim() ?? "";
}

class UserReader implements Principals {
  readonly users = new Map<string, string>();
  readonly groups = new Map<string, ReadonlySet<string>>();
  readonly ambiguous = new Map<string, Set<string>>();
  readonly incomplete = new Map<string, string[]>();
  readonly errors: string[] = [];
  readonly passwords = new Map<string, StoredPassword>();
  readonly #unresolved: ReadonlySet<string>;
  readonly #warnings: string[];

  constructor(unresolved: ReadonlySet<string>, warnings: string[]) {
    this.#unresolved = unresolved;
    this.#warnings = warnings;
  }

  /**
   * Users and groups share one name space. Where several entries have one name it is ambiguous, so none of them counts (decision
   * D-UAC 13).
   */
  async refuseTwins(elements: readonly XmlElement[], turns: Turns): Promise<void> {
    const byKey = new Map<string, XmlElement[]>();
    await forEachInTurns(turns, elements, (element) => {
      const key = nameKey(idOf(element));
      const twins = byKey.get(key) ?? [];
      twins.push(element);
      byKey.set(key, twins);
    });
    for (const [key, twins] of byKey) {
      const [first, ...others] = twins;
      if (key === "" || !first || others.length === 0) continue;
      this.ambiguous.set(key, new Set());
      const places = twins.map((twin) => `${twin.name} ${quoted(idOf(twin))} in line ${twin.position.line}`).join(", ");
      this.errors.push(remarkOn(first, `these have one name, so none of them counts: ${places}; rename all but one`));
    }
  }

  readUser(element: XmlElement): void {
    const name = this.#nameOf(element);
    const key = nameKey(name);
    if (this.ambiguous.has(key) || name === "") return;
    this.users.set(key, name);
    this.passwords.set(key, this.#readPassword(element, name));
    if (/[:\p{Cc}]/u.test(name)) {
      this.#warn(element, `user ${quoted(name)} cannot log in: HTTP Basic cannot carry ":" or control characters`);
    }
  }

  /** A group sees only what is defined above it, so groups cannot form a cycle. */
  readGroup(element: XmlElement): void {
    const name = this.#nameOf(element);
    if (name === "") return;
    const members = element.children.flatMap((member) => this.#usersOf(member, name));
    const ambiguous = this.ambiguous.get(nameKey(name));
    if (ambiguous) for (const member of members) ambiguous.add(member);
    else this.groups.set(nameKey(name), new Set(members));
  }

  /** The id; empty, with a warning, for an entry that is skipped. */
  #nameOf(element: XmlElement): string {
    const name = idOf(element);
    if (name === "") this.#warn(element, `a ${element.name} without id is skipped`);
    return name;
  }

  #usersOf(member: XmlElement, group: string): readonly string[] {
    const name = member.text.trim();
    const key = nameKey(name);
    if (this.users.has(key)) return [key];
    const users = this.groups.get(key);
    if (!users) this.#warn(member, `group ${quoted(group)}: ${quoted(name)} is skipped: it is not defined above`);
    const missing = users ? this.incomplete.get(key) : [name];
    if (missing) this.incomplete.set(nameKey(group), [...(this.incomplete.get(nameKey(group)) ?? []), ...missing]);
    return [...(users ?? [])];
  }

  #readPassword(user: XmlElement, name: string): StoredPassword {
    const element = user.children[0];
    const text = element?.text ?? "";
    const variable = unresolvedIn(text, this.#unresolved);
    if (variable !== undefined) {
      const reason = `the environment variable ${variable} of the password is not set`;
      this.#warn(user, `user ${quoted(name)} cannot log in: ${reason}`);
      return { kind: "locked" };
    }
    const { password, warning } = this.#decode(element ?? user, name, text);
    if (warning !== undefined) this.#warn(element ?? user, `user ${quoted(name)}: ${warning}`);
    return password;
  }

  #decode(element: XmlElement, name: string, text: string): PasswordReading {
    try {
      return readPassword(text);
    } catch (cause) {
      if (!(cause instanceof UnusablePasswordError)) throw cause;
      throw faultIn(element, `user ${quoted(name)}: ${cause.message}`, { cause });
    }
  }

  #warn(element: XmlElement, text: string): void {
    this.#warnings.push(remarkOn(element, text));
  }
}
