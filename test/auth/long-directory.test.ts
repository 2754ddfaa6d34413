import type { Entry } from "ldapts";
import { expect, it } from "vitest";
import { ldapPrincipals } from "../../src/auth/ldap/ldap-principals.ts";

const USERS = 20_000;
const GROUPS = 100;

const binding = { objectClasses: ["person"], id: "cn", distinguishedName: undefined };
const configuration = {
  servers: [],
  account: undefined,
  searches: [],
  user: binding,
  group: { ...binding, members: "member" },
};

function entry(cn: string): Entry {
  return { dn: `cn=${cn},dc=example`, cn };
}

it("D-UAC 18: a directory of thousands of users and groups is put together in steps, between which other work has its turns", async () => {
  const names = Array.from({ length: USERS }, (_, index) => `trader-${index}`);
  const members = new Map(names.map((name) => [name, { kind: "user" as const, entry: entry(name) }]));
  const desks = Array.from({ length: GROUPS }, (_, index) => ({
    entry: entry(`desk-${index}`),
    members: names.slice(0, 100),
  }));
  const groups = [{ entry: entry("traders"), members: names }, ...desks];
  let pauses = 0;
  let asked = 0;
  // Each turn is over after fifty looks.
  const turns = {
    isOver: () => ++asked % 50 === 0,
    async next() {
      pauses += 1;
    },
  };
  const { users, groups: byName } = await ldapPrincipals({ groups, members }, configuration, turns);
  // Members are taken, named and counted to their groups.
  expect(pauses).toBeGreaterThan(3 * (USERS / 50));
  expect([users.size, byName.get("traders")?.size]).toEqual([USERS, USERS]);
  expect(byName.get("desk-99")?.size).toBe(100);
});
