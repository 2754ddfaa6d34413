import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dnOf, GROUPS, LdapRig, ldapDocument } from "./directory-setup.ts";
import { type Attributes, startScriptedDirectory } from "./scripted-directory.ts";

const MEMBERS = Array.from({ length: 5000 }, (_, index) => `trader-${index}`);
const AT_ONCE = 1500;
const TRADERS = `cn=traders,${GROUPS}`;

let rig: LdapRig;

beforeEach(async () => {
  rig = await LdapRig.create();
});

afterEach(() => rig.close());

/** The members from a number on, as Active Directory gives them. */
function part(from: number): Attributes {
  const names = MEMBERS.slice(from, from + AT_ONCE);
  const end = from + AT_ONCE >= MEMBERS.length ? "*" : from + AT_ONCE - 1;
  return { uniqueMember: [], [`uniqueMember;range=${from}-${end}`]: names.map((name) => dnOf(name)) };
}

/** A part after the first, for the number that was asked for. */
type Further = (from: number) => Attributes;

function answer(request: string, further: Further): Readonly<Record<string, Attributes>> {
  const member = /cn=(trader-\d+),/.exec(request)?.[1];
  if (member !== undefined) return { [dnOf(member)]: { objectClass: ["top", "person"], cn: [member] } };
  const from = /uniqueMember;range=(\d+)-\*/.exec(request)?.[1];
  if (from === undefined) return { [TRADERS]: { objectClass: ["groupOfUniqueNames"], cn: ["traders"], ...part(0) } };
  return { [TRADERS]: further(Number(from)) };
}

async function load(further: Further): Promise<void> {
  const directory = await startScriptedDirectory((request) => answer(request, further));
  try {
    await rig.writeLdap(ldapDocument([directory.url]));
    await rig.open();
  } finally {
    await directory.close();
  }
}

describe("LDAP: Active Directory gives the members of a large group in ranges", () => {
  test("and all of them are asked for: 5,000 members", async () => {
    await load(part);
    expect(rig.errors).toEqual([]);
    expect(rig.users).toEqual(MEMBERS);
  });

  test("and a missing range fails the load, as rules would count for a part of the group only", async () => {
    await load(() => ({}));
    expect(rig.users).toEqual([]);
    expect(rig.errors).toEqual([expect.stringContaining('does not give "uniqueMember;range=1500-*"')]);
  });

  test.each<[string, Further]>([
    ["again the one before", () => part(0)],
    ["a later one", (from) => part(from + AT_ONCE)],
    ["an empty one", (from) => ({ [`uniqueMember;range=${from}-${from + 1}`]: [] })],
    ["one that ends before it begins", (from) => ({ [`uniqueMember;range=${from}-${from - 1}`]: [dnOf("trader-1")] })],
  ])("and so does another range than was asked for: %s", async (_, further) => {
    await load(further);
    expect(rig.users).toEqual([]);
    expect(rig.errors).toEqual([expect.stringContaining('does not give "uniqueMember;range=1500-*"')]);
  });

  test.each<[string, Attributes]>([
    ["a later one", part(AT_ONCE)],
    ["an empty one", { "uniqueMember;range=0-1499": [] }],
    ["one without numbers", { "uniqueMember;range=a-b": [dnOf("trader-1")] }],
  ])("of which the first has to begin with the first member, and have some: %s", async (_, first) => {
    const directory = await startScriptedDirectory(() => ({ [TRADERS]: { cn: ["traders"], ...first } }));
    await rig.writeLdap(ldapDocument([directory.url]));
    await rig.open();
    await directory.close();
    expect(rig.errors).toEqual([expect.stringContaining('does not give "uniqueMember;range=0-*"')]);
  });
});
