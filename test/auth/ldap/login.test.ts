import { Attribute, Change } from "ldapts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Slapd, SUFFIX, startSlapd } from "../../support/slapd.ts";
import { allow, deny } from "../access-files.ts";
import { change, dnOf, group, LdapRig, ldapDocument, person, tree, urlOf } from "./directory-setup.ts";

const HALT = "HALT_RESUME_TRADING";
const RISK = "CHANGE_RISK_LIMITS";

let slapd: Slapd;
let rig: LdapRig;

beforeAll(async () => {
  slapd = await startSlapd({
    entries: tree(
      person("Alice"),
      person("bob"),
      person("outsider"),
      person("unlucky"),
      group("traders", dnOf("Alice"), dnOf("bob"), dnOf("unlucky")),
      group("operators", dnOf("bob")),
    ),
  });
  await change(slapd, (client) =>
    client.modify(
      dnOf("unlucky"),
      new Change({ operation: "delete", modification: new Attribute({ type: "userPassword", values: [] }) }),
    ),
  );
});

afterAll(() => slapd.stop());

beforeEach(async () => {
  rig = await LdapRig.create();
  await rig.writeLdap(ldapDocument([urlOf(slapd)]));
});

afterEach(() => rig.close());

describe("LDAP: HTTP Basic against the user directory", () => {
  test("D-AUTH 3: a user logs in by binding with their password, and has the name as the directory spells it", async () => {
    await rig.open();
    expect(await rig.login("Alice")).toEqual({
      kind: "principal",
      isPasswordVerified: true,
      principal: { name: "Alice", permissions: new Set([HALT]), authentication: "basic" },
    });
    expect(rig.errors).toEqual([]);
    expect(rig.warnings).toEqual([]);
  });

  test("names have no case", async () => {
    await rig.open();
    expect(await rig.login("aLICE", "password of Alice")).toMatchObject({ principal: { name: "Alice" } });
  });

  test("a user may log in by their distinguished name, in any case", async () => {
    await rig.open();
    const dn = dnOf("alice").toUpperCase();
    expect(await rig.login(dn, "password of Alice")).toMatchObject({ principal: { name: "Alice" } });
    expect(await rig.kindOf(dn, "password of bob")).toBe("challenge");
  });

  test("a wrong password is refused, the password of another user too", async () => {
    await rig.open();
    expect(await rig.kindOf("Alice", "wrong")).toBe("challenge");
    expect(await rig.kindOf("Alice", "password of bob")).toBe("challenge");
  });

  test("a user in no group does not exist, nor does one who is in no directory", async () => {
    await rig.open();
    expect(await rig.kindOf("outsider")).toBe("challenge");
    expect(await rig.kindOf("nobody")).toBe("challenge");
    expect(rig.users).toEqual(["Alice", "bob", "unlucky"]);
  });

  test("a user whose entry has no password is refused, not an error", async () => {
    await rig.open();
    expect(await rig.kindOf("unlucky")).toBe("challenge");
  });

  test("the service account and the administrator of the directory are not users", async () => {
    await rig.open();
    expect(await rig.kindOf("service", "s3rvice")).toBe("challenge");
    expect(await rig.kindOf(`cn=admin,${SUFFIX}`, "adm1n")).toBe("challenge");
  });
});

describe("LDAP permissions are defined in uac-access-rules.xml", () => {
  test("by group and by user; a deny of the user beats the allow of their group", async () => {
    await rig.writeRules(
      allow("traders", HALT),
      allow("OPERATORS", RISK),
      allow("alice", "POSITION_ADJUSTMENT"),
      deny("bob", HALT),
    );
    await rig.open();
    expect(rig.authentication.users()).toEqual([
      { name: "Alice", permissions: new Set([HALT, "POSITION_ADJUSTMENT"]) },
      { name: "bob", permissions: new Set([RISK]) },
      { name: "unlucky", permissions: new Set([HALT]) },
    ]);
    expect(await rig.login("bob")).toMatchObject({ principal: { permissions: new Set([RISK]) } });
  });

  test("and a principal that the directory does not have is skipped with a warning", async () => {
    await rig.writeRules(allow("outsider", HALT));
    await rig.open();
    expect(rig.warnings).toEqual([
      expect.stringMatching(/uac-access-rules\.xml:1:\d+: allow rule: "outsider" is skipped: there is no such user or/),
    ]);
  });
});
