import type { Entry } from "ldapts";
import { expect, it } from "vitest";
import { ldapPrincipalsInSteps } from "../../src/auth/ldap/ldap-principals.ts";

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

it("D-UAC 18: a directory of thousands of users and groups is put together in steps, between which other work has its turns", () => {
  const names = Array.from({ length: USERS }, (_, index) => `trader-${index}`);
  const members = new Map(names.map((name) => [name, { kind: "user" as const, entry: entry(name) }]));
  const desks = Array.from({ length: GROUPS }, (_, index) => ({
    entry: entry(`desk-${index}`),
    members: names.slice(0, 100),
  }));
  const groups = [{ entry: entry("traders"), members: names }, ...desks];
  const reading = ldapPrincipalsInSteps({ groups, members }, configuration);
  let steps = 1;
  let step = reading.next();
  for (; !step.done; step = reading.next()) steps += 1;
  // Members are taken, named and counted to their groups.
  expect(steps).toBeGreaterThan(3 * (USERS / 50));
  expect([step.value.users.size, step.value.groups.get("traders")?.size]).toEqual([USERS, USERS]);
  expect(step.value.groups.get("desk-99")?.size).toBe(100);
});
