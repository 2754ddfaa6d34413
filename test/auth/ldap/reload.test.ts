import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Attribute, Change } from "ldapts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Slapd, startSlapd } from "../../support/slapd.ts";
import { allow } from "../access-files.ts";
import { change, dnOf, GROUPS, group, LdapRig, ldapDocument, person, tree, urlOf } from "./directory-setup.ts";

const HALT = "HALT_RESUME_TRADING";
const RISK = "CHANGE_RISK_LIMITS";

let slapd: Slapd;
let rig: LdapRig;

beforeEach(async () => {
  slapd = await startSlapd({
    entries: tree(
      person("alice"),
      person("bob"),
      group("traders", dnOf("alice"), dnOf("bob")),
      group("others", dnOf("alice")),
    ),
  });
  rig = await LdapRig.create();
  await searchFor("(cn=traders)");
  await rig.open({ reloadIntervalMs: 45_000 });
});

afterEach(async () => {
  await rig.close();
  await slapd.stop();
});

function searchFor(filter: string): Promise<void> {
  return rig.writeLdap(ldapDocument([urlOf(slapd)], { groups: `<groups node="${GROUPS}" filter="${filter}"/>` }));
}

function dropFromTraders(name: string): Promise<void> {
  const modification = new Attribute({ type: "uniqueMember", values: [dnOf(name)] });
  return change(slapd, (client) =>
    client.modify(`cn=traders,${GROUPS}`, new Change({ operation: "delete", modification })),
  );
}

describe("D-UAC 5: LDAP files and directory are reloaded, removed users lose access immediately", () => {
  test("at the interval: who left the group is out, remembered logins included", async () => {
    expect(await rig.kindOf("bob")).toBe("principal");
    await dropFromTraders("bob");
    rig.clock.advance(44_000);
    expect(await rig.kindOf("bob")).toBe("principal");
    rig.clock.advance(1000);
    await expect.poll(() => rig.users).toEqual(["alice"]);
    expect(await rig.kindOf("bob")).toBe("challenge");
    expect(await rig.kindOf("alice")).toBe("principal");
  });

  test("again and again", async () => {
    for (const [name, left] of [
      ["bob", ["alice"]],
      ["alice", []],
    ] as const) {
      if (name === "alice") await addToTraders("service");
      await dropFromTraders(name);
      await expect.poll(() => rig.clock.pending).toBe(2);
      rig.clock.advance(45_000);
      await expect.poll(() => rig.users).toEqual(left);
    }
  });

  /** A group must not be empty. */
  function addToTraders(name: string): Promise<void> {
    const modification = new Attribute({ type: "uniqueMember", values: [dnOf(name)] });
    return change(slapd, (client) =>
      client.modify(`cn=traders,${GROUPS}`, new Change({ operation: "add", modification })),
    );
  }

  test("within seconds when the access rules change", async () => {
    await rig.writeRules(allow("alice", RISK), allow("traders", HALT));
    rig.clock.advance(2000);
    await expect.poll(() => rig.authentication.users()[0]?.permissions).toEqual(new Set([HALT, RISK]));
  });

  test("within seconds when the LDAP file changes", async () => {
    await searchFor("(cn=others)");
    rig.clock.advance(2000);
    await expect.poll(() => rig.users).toEqual(["alice"]);
  });

  test.each(["uac-ldap-security.xml", "uac-access-rules.xml"])(
    "unless %s is gone: what was before stays",
    async (name) => {
      await rm(join(rig.directory, name));
      expect(await rig.authentication.reload()).toBe(false);
      expect(rig.errors).toEqual([expect.stringMatching(/stay active: .*: the file does not exist/)]);
      expect(await rig.kindOf("bob")).toBe("principal");
    },
  );

  test("unless the load fails, whatever the reason: the previous users and groups stay active", async () => {
    await searchFor("(cn=*)");
    await rig.writeLdap(ldapDocument([urlOf(slapd)], { groups: '<groups node="ou=nowhere" filter="(cn=*)"/>' }));
    expect(await rig.authentication.reload()).toBe(false);
    expect(rig.errors).toEqual([expect.stringContaining('search below "ou=nowhere"')]);
    expect(rig.users).toEqual(["alice", "bob"]);
    expect(await rig.kindOf("bob")).toBe("principal");
  });

  test("with each warning said once, not at each reading", async () => {
    await rig.writeRules(allow("traders", HALT), allow("nobody", HALT));
    for (let round = 0; round < 3; round += 1) expect(await rig.authentication.reload()).toBe(true);
    expect(rig.warnings).toEqual([expect.stringContaining('"nobody" is skipped')]);
  });

  test("until the directory is closed", async () => {
    rig.authentication.close();
    expect(rig.clock.pending).toBe(0);
    await dropFromTraders("bob");
    expect(await rig.authentication.reload()).toBe(false);
    expect(rig.users).toEqual(["alice", "bob"]);
  });
});
