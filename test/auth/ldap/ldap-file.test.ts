import { describe, expect, test } from "vitest";
import { readLdapFile } from "../../../src/auth/ldap/ldap-file.ts";
import { LoopTurns } from "../../../src/core/load/turns.ts";
import { document, messageOf } from "../access-files.ts";
import { ldapDocument } from "./directory-setup.ts";

const URL = "ldap://127.0.0.1:389";
const SERVICE = "CN=svc-ember,OU=Service,DC=example,DC=test";

function read(source: string) {
  return readLdapFile("ldap.xml", source, new LoopTurns());
}

async function serversOf(...urls: readonly string[]) {
  const { configuration } = await read(ldapDocument(urls));
  return configuration.servers.map(({ url: _, ...server }) => server);
}

/** A file for Active Directory. */
const ACTIVE_DIRECTORY = document(
  "config",
  `<vendor>ActiveDirectory</vendor>
   <connection>ldap://dc1.example.test:389</connection>
   <connection>ldaps://dc2.example.test</connection>
   <credentials><username>${SERVICE}</username><key>bf7dd819ac77a44f</key></credentials>
   <groups node="OU=Trading,DC=example,DC=test" filter="(objectClass=group)"/>
   <groups node="OU=Risk,DC=example,DC=test" filter="(&amp;(objectClass=group)(cn=risk-*))"/>
   <user>
     <objectClass>user</objectClass><objectClass>person</objectClass>
     <attribute name="sAMAccountName" field="id"/>
     <attribute name="distinguishedName" field="distinguishedName"/>
     <attribute name="displayName" property="setName"/>
     <attribute name="description" property="setDescription"/>
   </user>
   <group>
     <objectClass>group</objectClass>
     <attribute name=" sAMAccountName " field=" id "/>
     <attribute name="member" property=" setMembers "/>
   </group>`,
);

describe("uac-ldap-security.xml", () => {
  test("is read completely", async () => {
    expect((await read(ACTIVE_DIRECTORY)).configuration).toEqual({
      servers: [
        { url: "ldap://dc1.example.test:389", host: "dc1.example.test", port: 389, protection: "none" },
        { url: "ldaps://dc2.example.test", host: "dc2.example.test", port: 636, protection: "tls" },
      ],
      account: { dn: SERVICE, password: "s3rvice" },
      searches: [
        { base: "OU=Trading,DC=example,DC=test", filter: "(objectClass=group)" },
        { base: "OU=Risk,DC=example,DC=test", filter: "(&(objectClass=group)(cn=risk-*))" },
      ],
      user: {
        objectClasses: ["user", "person"],
        id: "sAMAccountName",
        distinguishedName: "distinguishedName",
        members: undefined,
      },
      group: {
        objectClasses: ["group"],
        id: "sAMAccountName",
        distinguishedName: undefined,
        members: "member",
      },
    });
  });

  test("causes a warning where passwords can be read on the way, but not for loopback and TLS", async () => {
    expect((await read(ACTIVE_DIRECTORY)).warnings).toEqual([
      expect.stringMatching(
        /^ldap\.xml:2:4: passwords go to ldap:\/\/dc1\.example\.test:389 in clear text; use ldaps:/,
      ),
    ]);
    expect((await read(ldapDocument([URL, "ldap://localhost", "ldap://[::1]", "ldaps://a.test"]))).warnings).toEqual(
      [],
    );
  });

  test("names ldap://, ldaps:// and ldap+starttls:// servers, several in one element separated by blanks", async () => {
    expect(await serversOf("ldap://a.test ldaps://b.test:1636", "ldap+starttls://[::1]", "LDAP://C.test/")).toEqual([
      { host: "a.test", port: 389, protection: "none" },
      { host: "b.test", port: 1636, protection: "tls" },
      { host: "::1", port: 389, protection: "starttls" },
      { host: "C.test", port: 389, protection: "none" },
    ]);
  });

  test("D-UAC 4: causes a warning without a namespace", async () => {
    const { warnings } = await read(ldapDocument([URL]).replace(/ xmlns="[^"]+"/, ""));
    expect(warnings).toEqual([expect.stringContaining("the namespace is missing")]);
  });

  test("causes a warning for groups without members", async () => {
    const { warnings } = await read(ldapDocument([URL], { group: '<attribute name="cn" field="id"/>' }));
    expect(warnings).toEqual([expect.stringContaining('no <attribute> has property="setMembers"')]);
  });
});

const ID = '<attribute name="cn" field="id"/>';
const withUser = (user: string) => ldapDocument([URL], { user });
const withKey = (key: string, name = SERVICE) =>
  ldapDocument([URL], { credentials: `<credentials><username>${name}</username><key>${key}</key></credentials>` });

describe("D-UAC 4: any structural fault in uac-ldap-security.xml refuses the whole file", () => {
  test.each([
    ["a wrong root", document("rules", ""), "the root element is <rules> instead of <config>"],
    ["a DOCTYPE", `<!DOCTYPE config>${ldapDocument([URL])}`, "a DOCTYPE is not allowed"],
    ["an unknown element", withUser(`${ID}<filter/>`), "unknown element <filter> in <user>"],
    ["no server", ldapDocument([]), "<connection> is missing in <config>"],
    ["an empty server", ldapDocument([" "]), "<connection> is empty"],
    ["another scheme", ldapDocument(["http://a.test"]), "must be ldap://host:port, ldaps://"],
    ["no host", ldapDocument(["ldap:///"]), "must be ldap://host:port"],
    ["a base in the URL", ldapDocument(["ldap://a.test/dc=test"]), "scheme, host and port only"],
    ["a password in the URL", ldapDocument(["ldap://a:hush@a.test"]), "may not hold a user or a password"],
    ["another vendor", ldapDocument([URL]).replace("ApacheDS", "Novell"), '<vendor> is "Novell" instead of ApacheDS'],
    ["no search", ldapDocument([URL], { groups: "" }), "<groups> is missing"],
    ["no node", ldapDocument([URL], { groups: '<groups filter="(cn=a)"/>' }), "<groups> needs the attribute node"],
    ["no filter", ldapDocument([URL], { groups: '<groups node="o=a"/>' }), "<groups> needs the attribute filter"],
    ["a broken filter", ldapDocument([URL], { groups: '<groups node="o=a" filter="(cn=a"/>' }), "is malformed"],
    [
      "a filter that servers refuse",
      ldapDocument([URL], { groups: '<groups node="o=a" filter="(cn=p**n)"/>' }),
      "two `*`",
    ],
    ["no user", ldapDocument([URL]).replace(/<user>.*<\/user>/, ""), "<user> is missing"],
    ["two users", withUser(`${ID}</user><user>${ID}`), "<user> stands twice"],
    ["no id", withUser('<attribute name="cn" property="setName"/>'), 'needs an <attribute> with field="id"'],
    ["two ids", withUser(ID + ID), "a second <attribute> for id in <user>"],
    ["neither field nor property", withUser('<attribute name="cn"/>'), "either a field or a property"],
    ["field and property", withUser('<attribute name="cn" field="id" property="setName"/>'), "either a field or"],
    ["an unknown field", withUser('<attribute name="cn" field="ID"/>'), '"ID" instead of id, distinguishedName'],
    [
      "members of users",
      withUser(`${ID}<attribute name="m" property="setMembers"/>`),
      '"setMembers" instead of setName',
    ],
    ["no name", withUser('<attribute field="id"/>'), '"" is not a valid name of an LDAP attribute'],
    [
      "a name with a filter in it",
      withUser('<attribute name="cn=*)(" field="id"/>'),
      "is not a valid name of an LDAP attribute",
    ],
    ["a key without name", withKey("bf7dd819ac77a44f", ""), "<username> is missing or empty"],
    ["no key", withKey(""), "<key> is missing or empty"],
    ["a key for another name", withKey("bf7dd819ac77a44f", "cn=other"), "the <key> cannot be decoded"],
    ["a plain password as key", withKey("s3rvice"), "the <key> cannot be decoded"],
    ["an empty password (D-UAC 1)", withKey("2e4bf9bf61972c7e", "cn=service,dc=example,dc=test"), "<key> is empty"],
  ])("such as %s", async (_, source, message) => {
    const text = await messageOf(() => read(source));
    expect(text).toMatch(/^ldap\.xml:\d+:\d+: /);
    expect(text).toContain(message);
    expect(text).not.toMatch(/hush|s3rvice|bf7dd819/);
  });
});
