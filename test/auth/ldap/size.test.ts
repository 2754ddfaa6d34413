import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SERVICE_DN, type Slapd, startSlapd } from "../../support/slapd.ts";
import { allow } from "../access-files.ts";
import { dnOf, GROUPS, group, LdapRig, ldapDocument, person, tree, urlOf } from "./directory-setup.ts";

const HALT = "HALT_RESUME_TRADING";
const MEMBERS = 5000;
const SMALL_GROUPS = 1200;

let slapd: Slapd;
let rig: LdapRig;

beforeAll(async () => {
  const names = Array.from({ length: MEMBERS }, (_, index) => `trader-${index}`);
  const small = Array.from({ length: SMALL_GROUPS }, (_, index) => group(`desk-${index}`, dnOf(`trader-${index}`)));
  slapd = await startSlapd({
    entries: tree(...names.map((name) => person(name)), group("traders", ...names.map((name) => dnOf(name))), ...small),
    // As usual, the server gives no more than this in one response; in pages there is no limit.
    configuration: `limits dn.exact="${SERVICE_DN}" size=500 size.prtotal=unlimited`,
  });
}, 120_000);

afterAll(() => slapd.stop());

beforeEach(async () => {
  rig = await LdapRig.create();
});

afterEach(() => rig.close());

describe("LDAP: large directories", () => {
  test("a group of 5,000 members is loaded, each of them with their permissions", async () => {
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { groups: `<groups node="${GROUPS}" filter="(cn=traders)"/>` }));
    await rig.writeRules(allow("traders", HALT));
    await rig.open();
    expect(rig.errors).toEqual([]);
    expect(rig.users).toHaveLength(MEMBERS);
    expect(rig.authentication.users().every(({ permissions }) => permissions.has(HALT))).toBe(true);
    expect(await rig.kindOf("trader-4999")).toBe("principal");
  });

  test("more groups than the server gives in one response come in pages", async () => {
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { groups: `<groups node="${GROUPS}" filter="(cn=desk-*)"/>` }));
    await rig.writeRules(...Array.from({ length: SMALL_GROUPS }, (_, index) => allow(`desk-${index}`, HALT)));
    await rig.open();
    expect([rig.errors, rig.warnings]).toEqual([[], []]);
    expect(rig.users).toHaveLength(SMALL_GROUPS);
  });
});
