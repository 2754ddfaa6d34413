import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PERMISSIONS } from "../../src/core/principal.ts";
import { allow, ruleDocument } from "../auth/access-files.ts";
import { dnOf, group, ldapDocument, person, tree, urlOf } from "../auth/ldap/directory-setup.ts";
import { type Slapd, startSlapd } from "../support/slapd.ts";
import { type Ended, requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

let slapd: Slapd;
let workplace: Workplace;

beforeAll(async () => {
  requireCommand();
  const entries = [person("alice"), person("bob"), group("desk", dnOf("alice")), group("guests", dnOf("bob"))];
  slapd = await startSlapd({ entries: tree(...entries) });
  workplace = new Workplace();
  workplace.write("application.yaml", "server.port: 0\nsecurity.oauth2.authenticationType: LDAP\n");
  workplace.write("uac-ldap-security.xml", ldapDocument([urlOf(slapd)]));
  const rules = [allow("desk", "HALT_RESUME_TRADING"), allow("bob", "CONTROL_FIX_SESSION")];
  workplace.write("uac-access-rules.xml", ruleDocument(...rules));
});

afterAll(async () => {
  await workplace.close();
  await slapd.stop();
});

function permissions(...args: readonly string[]): Promise<Ended> {
  return workplace.run(["permissions", "--config", "application.yaml", ...args]);
}

describe("permissions: who may do what, with an LDAP directory", () => {
  it("users of the live directory, with what their groups and they themselves are allowed", async () => {
    const { code, stdout } = await permissions("-o", "csv");
    expect(code).toBe(0);
    expect(stdout.split("\r\n").slice(0, -1)).toEqual([
      `user,${PERMISSIONS.join(",")},canLogIn`,
      "alice,true,false,false,false,false,true",
      "bob,false,false,false,false,true,true",
    ]);
    const users = JSON.parse((await permissions("-o", "json")).stdout);
    expect(users).toMatchObject([
      { user: "alice", permissions: ["HALT_RESUME_TRADING"] },
      { user: "bob", permissions: ["CONTROL_FIX_SESSION"] },
    ]);
  });

  it("a directory that does not respond is exit code 1, with its address", async () => {
    await slapd.crash();
    const { code, stdout, stderr } = await permissions();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(urlOf(slapd));
    await slapd.restart();
  });
});
