import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Slapd, SUFFIX, startSlapd } from "../../support/slapd.ts";
import { allow, deny } from "../access-files.ts";
import {
  dnOf,
  GROUPS,
  group,
  LdapRig,
  ldapDocument,
  PEOPLE,
  person,
  tree,
  urlOf,
  WRONG_KEY,
} from "./directory-setup.ts";

const HALT = "HALT_RESUME_TRADING";
const OTHERS = `ou=others,${SUFFIX}`;
const groupDn = (name: string, unit = GROUPS) => `cn=${name},${unit}`;

/** A group with a description, which most have not. */
function described(name: string, ...members: readonly string[]): string {
  return `${group(name, ...members).trimEnd()}\ndescription: ${name}\n\n`;
}

const ENTRIES = [
  person("alice"),
  person("bob"),
  person("carol"),
  person("Desk"),
  `dn: ${OTHERS}\nobjectClass: organizationalUnit\nou: others\n\n`,
  person("alice", OTHERS),
  group("chiefs", dnOf("alice"), groupDn("desk")),
  group("desk", dnOf("bob"), groupDn("floor")),
  group("floor", dnOf("carol"), groupDn("chiefs")),
  group("Foreign", dnOf("alice", OTHERS).toUpperCase(), dnOf("alice").toUpperCase()),
  group("leavers", dnOf("gone"), ...Array.from({ length: 7 }, (_, index) => dnOf(`gone-${index}`)), dnOf("bob")),
  group("namesakes", dnOf("Desk")),
  person("mira"),
  group("Lučić", dnOf("mira")),
  person("Jose Pena"),
  person("José Peña"),
  group("accents", dnOf("Jose Pena"), dnOf("José Peña")),
  person("Smith\\, (Jo)*"),
  group("escaped", dnOf("Smith\\, (Jo)*")),
  group("unit", PEOPLE),
  `dn: ${groupDn("hidden", OTHERS)}\nobjectClass: groupOfUniqueNames\ncn: hidden\nuniqueMember: ${dnOf("carol")}\n\n`,
  group("outer", groupDn("hidden", OTHERS), dnOf("bob")),
  group("nameless", dnOf("carol")),
  described("closed", groupDn("nameless"), dnOf("bob")),
  described("staff", dnOf("carol")),
];

let slapd: Slapd;
let rig: LdapRig;

beforeAll(async () => {
  slapd = await startSlapd({ entries: tree(...ENTRIES) });
});

afterAll(() => slapd.stop());

beforeEach(async () => {
  rig = await LdapRig.create();
});

afterEach(() => rig.close());

async function openWith(...filters: readonly string[]): Promise<void> {
  await searchFor(filters);
  await rig.open();
}

function searchFor(filters: readonly string[]): Promise<void> {
  const escaped = filters.map((filter) => filter.replaceAll("&", "&amp;"));
  const groups = escaped.map((filter) => `<groups node="${GROUPS}" filter="${filter}"/>`).join("");
  return rig.writeLdap(ldapDocument([urlOf(slapd)], { groups }));
}

async function haltersWith(principal: string, ...filters: readonly string[]): Promise<readonly string[]> {
  await rig.writeRules(allow(principal, HALT));
  await openWith(...filters);
  return rig.authentication.users().flatMap(({ name, permissions }) => (permissions.has(HALT) ? [name] : []));
}

describe("LDAP groups", () => {
  const nested = "(|(cn=chiefs)(cn=desk)(cn=floor))";

  test.each(["chiefs", "desk", "floor"])("nested groups count, also in a circle: %s", async (principal) => {
    expect(await haltersWith(principal, nested)).toEqual(["alice", "bob", "carol"]);
    expect(rig.warnings).toEqual([]);
  });

  test("a nested group counts only if a search found it too: the others are a warning", async () => {
    expect(await haltersWith("outer", "(cn=outer)")).toEqual(["bob"]);
    expect(rig.warnings).toEqual([
      `LDAP: group "${groupDn("outer")}": skipped as member, no <groups> search finds this group: "${groupDn("hidden", OTHERS)}"`,
    ]);
    expect(rig.users).toEqual(["bob"]);
  });

  test("several searches count together, and what two of them find counts once", async () => {
    expect(await haltersWith("chiefs", "(cn=chiefs)", nested, "(cn=chiefs)")).toEqual(["alice", "bob", "carol"]);
    expect(rig.warnings).toEqual([]);
  });

  test("a search goes to any depth below its node", async () => {
    const groups = `<groups node="${SUFFIX}" filter="(cn=hidden)"/>`;
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { groups }));
    await rig.open();
    expect(rig.users).toEqual(["carol"]);
  });

  test("members that do not exist are skipped with one warning for the group", async () => {
    expect(await haltersWith("leavers", "(cn=leavers)")).toEqual(["bob"]);
    expect(rig.warnings).toEqual([
      expect.stringMatching(
        /group "cn=leavers,.*": skipped as member, there is no such entry: ("[^"]+",? ?){5} and 3 more$/,
      ),
    ]);
  });

  test("D-UAC 13: two users with one name are both refused, with an error, also by their distinguished names", async () => {
    await openWith("(cn=Foreign)");
    expect(rig.users).toEqual([]);
    expect(rig.errors).toEqual([
      `LDAP: several entries have the name "alice", so none of them counts: "${dnOf("alice", OTHERS)}", "${dnOf("alice")}"; rename all but one`,
    ]);
    for (const name of ["alice", dnOf("alice"), dnOf("alice", OTHERS)]) {
      expect(await rig.kindOf(name, "password of alice")).toBe("challenge");
    }
  });

  test("D-UAC 13: names that differ in accents are two people, each with their own permissions", async () => {
    expect(await haltersWith("José Peña", "(cn=accents)")).toEqual(["José Peña"]);
    expect([rig.users, rig.errors, rig.warnings]).toEqual([["Jose Pena", "José Peña"], [], []]);
    expect(await rig.kindOf("jose pena")).toBe("challenge");
    expect(await rig.kindOf("jose pena", "password of Jose Pena")).toBe("principal");
    expect(await rig.kindOf("JOSÉ PEÑA", "password of José Peña")).toBe("principal");
  });

  test("D-UAC 13: users and groups share one name space: of a user and a group with one name neither counts, but a deny does", async () => {
    await rig.writeRules(allow("bob", HALT), allow("namesakes", HALT), deny("desk", HALT));
    await openWith("(|(cn=desk)(cn=floor)(cn=chiefs)(cn=namesakes))");
    expect(rig.authentication.users()).toContainEqual({ name: "bob", permissions: new Set() });
    expect(rig.users).not.toContain("Desk");
    expect(rig.errors).toEqual([
      expect.stringContaining('LDAP: several entries have the name "desk", so none of them counts'),
    ]);
    expect(await rig.kindOf("Desk")).toBe("challenge");
    expect(await rig.kindOf(dnOf("Desk"), "password of Desk")).toBe("challenge");
  });

  test("D-UAC 14: a deny that names nobody is an error", async () => {
    await rig.writeRules(allow("bob", HALT), deny("desks", HALT), deny("outer", HALT));
    await openWith("(|(cn=desk)(cn=outer))");
    expect(rig.errors).toEqual([
      expect.stringMatching(/deny rule: there is no user or group "desks"; what it was to take away stays granted$/),
      expect.stringMatching(
        /deny rule: the group "outer" has the unknown member "cn=hidden,.*"; what it was to take away/,
      ),
    ]);
  });

  test("D-UAC 14: a deny for a group in which one without a name is nested is an error: who is below it keeps what the deny takes away", async () => {
    await rig.writeRules(allow("staff", HALT), deny("closed", HALT));
    const named =
      '<objectClass>groupOfUniqueNames</objectClass><attribute name="description" field="id"/>' +
      '<attribute name="uniqueMember" property="setMembers"/>';
    const groups = `<groups node="${GROUPS}" filter="(|(cn=closed)(cn=nameless)(cn=staff))"/>`;
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { groups, group: named }));
    await rig.open();
    expect(rig.authentication.users()).toContainEqual({ name: "carol", permissions: new Set([HALT]) });
    expect(rig.errors).toEqual([
      expect.stringMatching(/the group "closed" has the unknown member "cn=nameless,.*"; what it was to take away/),
    ]);
    expect(rig.warnings).toEqual([`LDAP: group "${groupDn("nameless")}" is skipped: it has no description`]);
  });

  test("a member that is neither user nor group by its object classes is skipped with a warning: who may write one group does not stop the load of all", async () => {
    await openWith("(|(cn=unit)(cn=chiefs))");
    expect(rig.users).toEqual(["alice"]);
    expect(rig.warnings).toContainEqual(
      expect.stringMatching(
        /group "cn=unit,.*": skipped as member, neither <user> nor <group> has one of its object classes: "ou=people,/,
      ),
    );
    expect(await rig.kindOf("alice")).toBe("principal");
  });

  test("D-UAC 14: a deny for a group with such a member is an error, as it may be a group", async () => {
    await rig.writeRules(allow("alice", HALT), deny("unit", HALT));
    await openWith("(|(cn=unit)(cn=chiefs))");
    expect(rig.errors).toEqual([expect.stringMatching(/the group "unit" has the unknown member "ou=people,/)]);
  });

  test("a search base that does not exist fails the whole load", async () => {
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { groups: '<groups node="ou=nowhere" filter="(cn=chiefs)"/>' }));
    await rig.open();
    expect(rig.errors).toEqual([expect.stringContaining('search below "ou=nowhere"')]);
  });

  test("without a mapped distinguished name a user binds with the name of their entry", async () => {
    const user = '<objectClass>PERSON</objectClass><attribute name="CN" field="id"/>';
    await searchForChiefs(user);
    await rig.open();
    expect(await rig.kindOf("alice")).toBe("principal");
  });

  function searchForChiefs(user: string): Promise<void> {
    return rig.writeLdap(
      ldapDocument([urlOf(slapd)], { user, groups: `<groups node="${GROUPS}" filter="(cn=chiefs)"/>` }),
    );
  }

  test("a user without the attribute of their id is skipped with a warning", async () => {
    await searchForChiefs('<objectClass>person</objectClass><attribute name="mail" field="id"/>');
    await rig.open();
    expect(rig.users).toEqual([]);
    expect(rig.warnings).toContainEqual(`LDAP: user "${dnOf("alice")}" is skipped: it has no mail`);
  });
});

describe("D-AUTH 15: filters mean to slapd what RFC 4515 says", () => {
  const found = (...names: readonly string[]) => [...names];

  test.each([
    ["(cn=Lu\\c4\\8di\\c4\\87)", found("mira")],
    ["(cn=Lučić)", found("mira")],
    ["(cn=Lu\\c4\\8d*)", found("mira")],
    ["(&(|(cn=Lučić)(cn=floor))(!(cn=Lu\\c4\\8di\\c4\\87)))", found("carol")],
    ["(2.5.4.3=floor)", found("carol")],
    ["(cn:caseIgnoreMatch:=FLOOR)", found("carol")],
    ["(:2.5.13.2:=floor)", found("carol")],
    ["( & (objectClass=groupOfUniqueNames) ( cn=floor) (&) )", found("carol")],
    ["(|)", found()],
  ])("%s", async (filter, users) => {
    await openWith(filter);
    expect([rig.errors, rig.users]).toEqual([[], users]);
  });

  test("what the server would refuse at each login is refused at the start", async () => {
    await searchFor(["(cn=p**n)"]);
    await expect(rig.open()).rejects.toThrow(
      /uac-ldap-security.xml:1:\d+: the filter "\(cn=p\*\*n\)" is malformed: two `\*` stand/,
    );
  });
});

describe("LDAP distinguished names", () => {
  test("that hold characters with a meaning in names and filters are found and bound to", async () => {
    await openWith("(cn=escaped)");
    expect(rig.users).toEqual(["Smith\\, (Jo)*"]);
    expect(await rig.kindOf("Smith\\, (Jo)*")).toBe("principal");
  });
});

describe("LDAP service account", () => {
  test("fails the load with a wrong key, naming the account and not the password", async () => {
    const credentials = `<credentials><username>cn=service,${SUFFIX}</username><key>${WRONG_KEY}</key></credentials>`;
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { credentials }));
    await rig.open();
    expect(rig.errors).toEqual([
      expect.stringContaining(`the service account "cn=service,${SUFFIX}" is refused; check <username> and <key>`),
    ]);
    expect(rig.errors.join()).not.toMatch(`wrong|${WRONG_KEY}`);
  });

  test("binds anonymously without credentials: what anonymous users may not see does not exist", async () => {
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { credentials: "" }));
    await rig.open();
    expect(rig.users).toEqual([]);
  });

  test("loads a directory that everyone may read without credentials", async () => {
    const open = await startSlapd({ entries: tree(person("alice"), group("traders", dnOf("alice"))), readers: "*" });
    try {
      await rig.writeLdap(ldapDocument([urlOf(open)], { credentials: "" }));
      await rig.open();
      expect(rig.users).toEqual(["alice"]);
      expect(await rig.kindOf("alice")).toBe("principal");
    } finally {
      await open.stop();
    }
  });
});
