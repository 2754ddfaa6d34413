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

function answer(request: string, givesMore: boolean): Readonly<Record<string, Attributes>> {
  const member = /cn=(trader-\d+),/.exec(request)?.[1];
  if (member !== undefined) return { [dnOf(member)]: { objectClass: ["top", "person"], cn: [member] } };
  const from = /uniqueMember;range=(\d+)-\*/.exec(request)?.[1];
  if (from === undefined) return { [TRADERS]: { objectClass: ["groupOfUniqueNames"], cn: ["traders"], ...part(0) } };
  return { [TRADERS]: givesMore ? part(Number(from)) : {} };
}

async function load(givesMore: boolean): Promise<void> {
  const directory = await startScriptedDirectory((request) => answer(request, givesMore));
  try {
    await rig.writeLdap(ldapDocument([directory.url]));
    await rig.open();
  } finally {
    await directory.close();
  }
}

describe("LDAP: Active Directory gives the members of a large group in ranges", () => {
  test("and all of them are asked for: 5,000 members", async () => {
    await load(true);
    expect(rig.errors).toEqual([]);
    expect(rig.users).toEqual(MEMBERS);
  });

  test("and a missing range fails the load, as rules would count for a part of the group only", async () => {
    await load(false);
    expect(rig.users).toEqual([]);
    expect(rig.errors).toEqual([expect.stringContaining('does not give "uniqueMember;range=1500-*"')]);
  });
});
