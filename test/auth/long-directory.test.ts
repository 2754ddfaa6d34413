import type { Entry } from "ldapts";
import { expect, it } from "vitest";
import { grantPermissions } from "../../src/auth/access-rules.ts";
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
  const principals = await ldapPrincipals({ groups, members }, configuration, turns);
  await principals.expandGroups(groups.map((group) => String(group.entry.cn)));
  const { users, groups: byName } = principals;
  // Members are taken, named and counted to their groups.
  expect(pauses).toBeGreaterThan(3 * (USERS / 50));
  expect([users.size, byName.get("traders")?.size]).toEqual([USERS, USERS]);
  expect(byName.get("desk-99")?.size).toBe(100);
});

/** Does not wait, and counts the pieces. */
class Looks {
  count = 0;

  isOver(): boolean {
    this.count += 1;
    return false;
  }

  async next(): Promise<void> {}
}

it("D-UAC 21: groups that all contain each other are walked once for each of those that a rule names", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `desk-${index}`);
  const alice = { kind: "user" as const, entry: entry("alice") };
  const nested = names.map((name) => [name, { kind: "group" as const, entry: entry(name) }] as const);
  const members = new Map<string, typeof alice | (typeof nested)[number][1]>([["alice", alice], ...nested]);
  const groups = names.map((name, index) => ({
    entry: entry(name),
    members: index === 0 ? ["alice", ...names] : names,
  }));
  const looks = new Looks();
  const principals = await ldapPrincipals({ groups, members }, configuration, looks);
  const before = looks.count;
  await principals.expandGroups(["desk-7", "DESK-8"]);
  expect([...principals.groups]).toEqual([
    ["desk-7", new Set(["alice"])],
    ["desk-8", new Set(["alice"])],
  ]);
  // Each of the 90,000 memberships is looked at twice, and not 300 times.
  expect(looks.count - before).toBeLessThan(3 * names.length ** 2);
  await principals.expandGroups(["desk-7", "desk-9"]);
  expect(principals.groups.size).toBe(3);
});

it("D-UAC 21: a group with more unknown members than a call takes arguments does not fail what a deny for it comes to", async () => {
  const gone = Array.from({ length: 200_000 }, (_, index) => `cn=printer-${index},dc=example`);
  const printer = { kind: "other" as const, entry: entry("printer") };
  const members = new Map(gone.map((name) => [name, printer]));
  const looks = new Looks();
  const principals = await ldapPrincipals(
    { groups: [{ entry: entry("lunch"), members: gone }], members },
    configuration,
    looks,
  );
  await principals.expandGroups(["lunch"]);
  const rule = {
    effect: "deny",
    principals: ["lunch"],
    permissions: ["*"],
    anyResource: true,
    origin: "rules.xml",
  } as const;
  const { faults } = await grantPermissions([rule], principals, looks);
  expect(faults).toHaveLength(gone.length);
});
