import { describe, expect, test } from "vitest";
import { document, messageOf, NAMESPACE, readRules, readUsers, ruleDocument, userDocument } from "./access-files.ts";

const user = '<user id="a"><password>p</password></user>';

const rejects: Record<string, [xml: string, message: string | RegExp]> = {
  "a wrong root": [`<rules xmlns="${NAMESPACE}"/>`, "users.xml:1:1: the root element is <rules> instead of <config>"],
  "a wrong namespace": [
    '<config xmlns="http://xml.deltixlab.com/internal/quantserver/2.0"/>',
    /users.xml:1:1: the namespace is "http.*2.0" instead of "http.*3.0"/,
  ],
  "a child without the namespace of the root": [document("config", '<users xmlns=""/>'), /not in the namespace/],
  "a child with a namespace in a file without": [
    `<config><users xmlns="${NAMESPACE}"/></config>`,
    /not in the namespace/,
  ],
  "an unknown element": [
    document("config", `<users>\n${user.replace("user", "usr").replace("/user", "/usr")}</users>`),
    "users.xml:2:1: unknown element <usr> in <users>; it may hold <user>",
  ],
  "an element called like a property of objects": [
    document("config", "<constructor/>"),
    /unknown element <constructor>/,
  ],
  "an unknown attribute": [
    document("config", '<users><user id="a" role="admin"><password>p</password></user></users>'),
    /<user> has an unknown attribute "role"/,
  ],
  "an attribute of a foreign namespace": [
    document("config", '<users><user xmlns:x="urn:x" x:id="a"><password>p</password></user></users>'),
    /unknown attribute "id"/,
  ],
  "an attribute of the root": [`<config xmlns="${NAMESPACE}" version="1"/>`, /unknown attribute "version"/],
  "stray text": [document("config", "<users>hello</users>"), /<users> holds text, but only elements may stand in it/],
  "two lists of users": [document("config", "<users/><users/>"), /<users> stands twice in <config>/],
  "two passwords": [
    document("config", '<users><user id="a"><password>p</password><password>q</password></user></users>'),
    /<password> stands twice in <user>/,
  ],
};

describe("D-UAC 4: a structural fault refuses the whole user file", () => {
  test.each(Object.entries(rejects))("for %s", async (_name, [xml, message]) => {
    expect(await messageOf(() => readUsers(xml))).toMatch(message);
  });

  test("an element inside a password is refused without being named, as it may be a part of the password", async () => {
    const message = await messageOf(() => readUsers(userDocument(["a", "top<hidden/>"])));
    expect(message).toMatch(/<password> may hold text only; write "<" as &lt; and "&" as &amp;/);
    expect(message).not.toContain("hidden");
  });
});

describe("D-UAC 4: a structural fault refuses the whole rules file", () => {
  const rule = (resource: string) =>
    ruleDocument(`<allow><principal>a</principal><permission>b</permission>${resource}</allow>`);

  test.each([
    [
      "an unknown effect",
      ruleDocument("<permit/>"),
      /unknown element <permit> in <rules>; it may hold <allow>, <deny>/,
    ],
    ["a user file in its place", document("config", ""), /the root element is <config> instead of <rules>/],
    [
      "an unknown type",
      rule('<resource type="File">x</resource>'),
      /type of <resource> is "File" instead of Principal, Stream/,
    ],
    ["a format in the wrong case", rule('<resource format="text">*</resource>'), /format of <resource> is "text"/],
    ["a DOCTYPE", `<!DOCTYPE rules>${ruleDocument()}`, /DOCTYPE/],
    ["an id", ruleDocument('<allow id="1"/>'), /unknown attribute "id"/],
  ])("for %s", async (_name, xml, message) => {
    expect(await messageOf(() => readRules(xml))).toMatch(message);
  });
});

describe("D-UAC 4: a missing namespace is accepted with one warning", () => {
  test("in the user file", async () => {
    const { principals, warnings } = await readUsers(`<config><users>${user}</users></config>`);
    expect([...principals.users.values()]).toEqual(["a"]);
    const about = warnings.filter((warning) => warning.includes("namespace"));
    expect(about).toEqual([`users.xml:1:1: the namespace is missing; write <config xmlns="${NAMESPACE}">`]);
  });

  test("in the rules file", async () => {
    const { rules, warnings } = await readRules(
      "<rules><allow><principal>a</principal><permission>b</permission></allow></rules>",
    );
    expect(rules).toHaveLength(1);
    expect(warnings).toEqual([`rules.xml:1:1: the namespace is missing; write <rules xmlns="${NAMESPACE}">`]);
  });

  test("and a prefix for the namespace and a hint for editors are not faults", async () => {
    const xsi = "http://www.w3.org/2001/XMLSchema-instance";
    const xml = `<c:config xmlns:c="${NAMESPACE}" xmlns:xsi="${xsi}" xsi:schemaLocation="a b"><c:users/></c:config>`;
    expect((await readUsers(xml)).warnings).toEqual([]);
  });
});
