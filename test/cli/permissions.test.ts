import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { operationNames } from "../../src/core/operations/table.ts";
import { PERMISSIONS } from "../../src/core/principal.ts";
import { requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  workplace.write("application.yaml", "server.port: 0\n");
  const users = ["alice", "bob", "carol"].map((name) => `<user id="${name}"><password>p of ${name}</password></user>`);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the user file
  users.push('<user id="dan"><password>${UNSET_PASSWORD}</password></user>');
  const group = '<groups><group id="desk"><principal>alice</principal><principal>dan</principal></group></groups>';
  const security = `<config xmlns="${NAMESPACE}"><users>${users.join("")}</users>${group}</config>`;
  const rules = [
    "<allow><principal>desk</principal><permission>*</permission></allow>",
    "<deny><principal>alice</principal><permission>CHANGE_RISK_LIMITS</permission></deny>",
    "<allow><principal>bob</principal><permission>HALT_RESUME_TRADING</permission></allow>",
  ];
  workplace.write("uac-file-security.xml", security);
  workplace.write("uac-access-rules.xml", `<rules xmlns="${NAMESPACE}">${rules.join("")}</rules>`);
});

afterEach(() => workplace.close());

function permissions(...args: readonly string[]): ReturnType<Workplace["run"]> {
  return workplace.run(["permissions", "--config", "application.yaml", ...args]);
}

describe("permissions: who may do what", () => {
  it("lists the access files, groups and denials resolved, as a table", async () => {
    const { code, stdout, stderr } = await permissions();
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ["USER", "TRADING", "LIMITS", "POSITIONS", "SERVICES", "FIX", "CAN LOG IN"],
      ["alice", "yes", "no", "yes", "yes", "yes", "yes"],
      ["bob", "yes", "no", "no", "no", "no", "yes"],
      ["carol", "no", "no", "no", "no", "no", "yes"],
      ["dan", "yes", "yes", "yes", "yes", "yes", "no"],
    ]);
    for (const permission of PERMISSIONS) expect(stderr).toContain(permission);
    expect(stderr).toMatch(/user "dan" cannot log in: .*UNSET_PASSWORD/);
    expect(stdout + stderr).not.toContain("p of ");
  });

  it("lists the names of the permissions as CSV, for a file of evidence", async () => {
    const { stdout } = await permissions("-o", "csv");
    expect(stdout.split("\r\n").slice(0, 2)).toEqual([
      `user,${PERMISSIONS.join(",")},canLogIn`,
      "alice,true,false,true,true,true,true",
    ]);
  });

  it("lists the operations that they open as JSON", async () => {
    const users = JSON.parse((await permissions("-o", "json")).stdout);
    expect(users[2]).toMatchObject({ user: "carol", permissions: [] });
    expect(users[2].operations).toEqual(operationNames.filter((name) => /^(get|list)/.test(name)));
    expect(users[3].operations).toEqual([...operationNames]);
  });

  it("lists what each authority stands for with an identity provider", async () => {
    const provider = [
      "--security.oauth2.provider.name=kc",
      "--spring.security.oauth2.client.provider.kc.issuer-uri=https://idp.example",
      "--security.oauth2.provider.authorityMapping.desk=HALT_RESUME_TRADING,CONTROL_FIX_SESSION",
    ];
    const { code, stdout, stderr } = await permissions("-o", "json", ...provider);
    expect(code).toBe(0);
    const authorities = JSON.parse(stdout).map(({ authority }: { authority: string }) => authority);
    expect(authorities).toEqual(["desk", ...PERMISSIONS]);
    expect(JSON.parse(stdout)[0].permissions).toEqual(["HALT_RESUME_TRADING", "CONTROL_FIX_SESSION"]);
    expect(stderr).toMatch(
      /the identity provider decides which user has which of these authorities \(claim authorities of a token\)/,
    );
  });

  it("lists nobody for a closed API, and names broken files and a directory unreachable", async () => {
    const closed = await permissions("--security.oauth2.authenticationType=NONE");
    expect([closed.code, closed.stderr]).toEqual([
      1,
      expect.stringContaining("no user may do anything. The API is closed"),
    ]);
    workplace.write("uac-access-rules.xml", "<rules>");
    expect((await permissions()).stderr).toMatch(/uac-access-rules\.xml:\d+:\d+: /);
    expect((await permissions("--security.oauth2.authenticationType=LDAP")).stderr).toContain("uac-ldap-security.xml");
  });
});
