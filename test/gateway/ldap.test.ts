import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allow, basic, ruleDocument } from "../auth/access-files.ts";
import { dnOf, group, ldapDocument, person, tree, urlOf } from "../auth/ldap/directory-setup.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { type Slapd, startSlapd } from "../support/slapd.ts";
import { makeCertificates } from "../transports/support/certificates.ts";
import { InstallationFolder } from "./folder.ts";

const READ = { path: "/services" };
const HALT = { method: "POST", path: "/trading/halt", headers: { "Content-Type": "application/json" }, body: "{}" };

let slapd: Slapd;
let folder: InstallationFolder;

beforeAll(async () => {
  slapd = await startSlapd({
    entries: tree(person("Alice"), person("bob"), group("desk", dnOf("Alice")), group("staff", dnOf("bob"))),
  });
});

afterAll(() => slapd.stop());

beforeEach(() => {
  folder = new InstallationFolder();
  folder.remove("uac-file-security.xml");
  folder.write("uac-ldap-security.xml", ldapDocument([urlOf(slapd)]));
  folder.write("uac-access-rules.xml", ruleDocument(allow("desk", "HALT_RESUME_TRADING")));
});

afterEach(() => folder.close());

type Send = (request: Partial<RawRequest>, name: string, password?: string) => Promise<RawReply>;

async function start(settings = ""): Promise<Send> {
  const { url } = await folder.start(`security.oauth2.authenticationType: LDAP\n${settings}`);
  return (request, name, password = `password of ${name}`) =>
    sendRaw(`${url}/api/admin/v1`, { ...READ, ...request, authorization: basic(name, password) });
}

describe("Authentication 2; Authorization: the gateway with LDAP", () => {
  it("takes users from the directory and permissions from the access rules, and names the one that is missing", async () => {
    const send = await start();
    expect(await send(HALT, "alice", "password of Alice")).toMatchObject({ status: 200 });
    expect(await send(READ, "bob")).toMatchObject({ status: 200 });
    expect(await send(HALT, "bob")).toMatchObject({
      status: 403,
      body: expect.stringContaining("HALT_RESUME_TRADING"),
    });
    expect(folder.log()).toContainEqual(
      expect.objectContaining({ user: "Alice", authentication: "basic", operation: "haltTrading", stage: "applied" }),
    );
  });

  it("answers 401 without a body to a wrong password and to an unknown user", async () => {
    const send = await start();
    for (const [name, password] of [
      ["bob", "wrong"],
      ["nobody", "password of bob"],
      ["bob", ""],
    ] as const) {
      expect(await send(READ, name, password)).toMatchObject({ status: 401, body: "" });
    }
  });

  it("D-HTTP 10, D-AUTH 10: answers 500 and writes a log line while the directory is unreachable, from the start on", async () => {
    await slapd.crash();
    try {
      await expectFailure(await start(), /could not be loaded since the start/);
      expect(folder.logText()).toMatch(/"level":"error".*The LDAP directory was not loaded.*ECONNREFUSED/);
    } finally {
      await slapd.restart();
    }
  });

  it("D-HTTP 10: answers 500 and writes a log line while the directory is unreachable later, and then serves again", async () => {
    const send = await start();
    await slapd.crash();
    try {
      await expectFailure(send, /ECONNREFUSED/);
    } finally {
      await slapd.restart();
    }
    expect(await send(READ, "bob")).toMatchObject({ status: 200 });
  });

  it("trusts the authority of security.uac.ldap.ca, and a missing file stops the start", async () => {
    const certificates = await makeCertificates();
    const secure = await startSlapd({
      entries: tree(person("bob"), group("staff", dnOf("bob"))),
      certificates,
    });
    try {
      folder.write("ca.pem", certificates.ca);
      folder.write("uac-ldap-security.xml", ldapDocument([`ldaps://127.0.0.1:${secure.securePort}`]));
      expect(await (await start("security.uac.ldap.ca: ca.pem"))(READ, "bob")).toMatchObject({ status: 200 });
      expect(await (await start())(READ, "bob")).toMatchObject({ status: 500 });
      await expect(start("security.uac.ldap.ca: none.pem")).rejects.toThrow(/security\.uac\.ldap\.ca: .*none\.pem/);
    } finally {
      await secure.stop();
    }
  });

  async function expectFailure(send: Send, logged: RegExp): Promise<void> {
    const reply = await send(READ, "bob");
    expect(reply).toMatchObject({ status: 500 });
    expect(reply.body).not.toMatch(/ldap|ECONN|127\.0\.0\.1/i);
    const errors = folder.log().filter(({ level }) => level === "error");
    expect(JSON.stringify(errors)).toMatch(logged);
    expect(folder.logText()).not.toContain("password of");
  }
});
