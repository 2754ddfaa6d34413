import { expect, onTestFinished, test } from "vitest";
import { dnOf, GROUPS, LdapRig, ldapDocument } from "./directory-setup.ts";
import { startScriptedDirectory } from "./scripted-directory.ts";

const NAMELESS = 500;
const LINES = 200;

test("D-UAC 21: of the faults of a directory 200 are logged, and how many more there are; the other users can log in", async () => {
  const names = ["alice", ...Array.from({ length: NAMELESS }, (_, index) => `nameless-${index}`)];
  const directory = await startScriptedDirectory((request) => {
    const member = /cn=(alice|nameless-\d+),/.exec(request)?.[1];
    if (member === "alice") return { [dnOf(member)]: { objectClass: ["person"], cn: ["alice"] } };
    if (member !== undefined) return { [dnOf(member)]: { objectClass: ["person"] } };
    const members = { uniqueMember: names.map((name) => dnOf(name)) };
    return { [`cn=traders,${GROUPS}`]: { objectClass: ["groupOfUniqueNames"], cn: ["traders"], ...members } };
  });
  onTestFinished(() => directory.close());
  const rig = await LdapRig.create();
  onTestFinished(() => rig.close());
  await rig.writeLdap(ldapDocument([directory.url]));
  await rig.open();
  const found = rig.warnings.filter((line) => line.startsWith("LDAP: "));
  expect(found.slice(0, -1)).toEqual(Array(LINES).fill(expect.stringContaining("is skipped: it has no")));
  expect(found.at(-1)).toBe(`LDAP: ${NAMELESS - LINES} more like these are not logged`);
  expect(rig.users).toEqual(["alice"]);
});
