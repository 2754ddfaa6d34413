import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dnOf, GROUPS, LdapRig, ldapDocument } from "./directory-setup.ts";
import { type Attributes, startScriptedDirectory } from "./scripted-directory.ts";

const TRADERS = `cn=traders,${GROUPS}`;

let rig: LdapRig;
let ended: (() => Promise<void>)[];

beforeEach(async () => {
  rig = await LdapRig.create();
  ended = [];
});

afterEach(async () => {
  await rig.close();
  for (const end of ended) await end();
});

/** A group of two, of whom only Alice has an entry. */
function entriesFor(request: string): Readonly<Record<string, Attributes>> {
  if (request.includes(dnOf("bob"))) return {};
  if (request.includes(dnOf("alice"))) return { [dnOf("alice")]: { objectClass: ["person"], cn: ["alice"] } };
  const members = [dnOf("alice"), dnOf("bob")];
  return { [TRADERS]: { objectClass: ["groupOfUniqueNames"], cn: ["traders"], uniqueMember: members } };
}

/** Servers in their order, each with the code with which a request ends that holds the text; opens the authentication. */
async function openWith(text: string, ...codes: readonly number[]): Promise<{ asked: number[] }> {
  const asked = codes.map(() => 0);
  const urls: string[] = [];
  for (const [index, code] of codes.entries()) {
    const { url, close } = await startScriptedDirectory(entriesFor, (request) => {
      if (!request.includes(text)) return 0;
      asked[index] = (asked[index] ?? 0) + 1;
      return code;
    });
    urls.push(url);
    ended.push(close);
  }
  await rig.writeLdap(ldapDocument(urls));
  await rig.open();
  return { asked };
}

describe("LDAP: what the result code of a bind means (RFC 4511, appendix A)", () => {
  test.each([19, 32, 48, 49, 53])("%i refuses the credentials, and no other server is asked", async (code) => {
    const { asked } = await openWith("password of alice", code, 0);
    expect(await rig.kindOf("alice")).toBe("challenge");
    expect(asked).toEqual([1, 0]);
  });

  test.each([51, 52])("with %i the next server is asked", async (code) => {
    const { asked } = await openWith("password of alice", code, 0);
    expect(await rig.kindOf("alice")).toBe("principal");
    expect(asked).toEqual([1, 1]);
  });

  test("another code leaves the credentials undecided, and no other server is asked", async () => {
    const { asked } = await openWith("password of alice", 1, 0);
    await expect(rig.login("alice")).rejects.toThrow(/^ldap:\/\/127\.0\.0\.1:\d+: bind: /);
    expect(asked).toEqual([1, 0]);
  });
});

describe("LDAP: what the result code of the entry of a member means (RFC 4511, appendix A)", () => {
  test.each([10, 32, 34])("with %i it is not there, and skipped with a warning", async (code) => {
    await openWith(dnOf("bob"), code);
    expect([rig.users, rig.errors]).toEqual([["alice"], []]);
    expect(rig.warnings).toEqual([
      `LDAP: group "${TRADERS}": skipped as member, there is no such entry: "${dnOf("bob")}"`,
    ]);
  });

  test("with another code the load fails, as rules would count for a part of the group only", async () => {
    await openWith(dnOf("bob"), 50);
    expect(rig.users).toEqual([]);
    expect(rig.errors).toEqual([expect.stringContaining(`read "${dnOf("bob")}": `)]);
  });
});
