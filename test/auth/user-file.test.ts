import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesDigest } from "../../src/auth/passwords/password-hash.ts";
import type { UserFile } from "../../src/auth/user-file.ts";
import { document, messageOf, readUsers, userDocument } from "./access-files.ts";

/** Whether a user with a text password has this one. */
function hasPassword(file: UserFile, user: string, password: string): boolean {
  const stored = file.passwords.get(user);
  return stored?.kind === "text" && matchesDigest(password, stored.digest);
}

function group(id: string, ...members: readonly string[]): string {
  return `<group id="${id}">${members.map((member) => `<principal>${member}</principal>`).join("")}</group>`;
}

/** A user file with users `a` and `b` and these groups. */
function groupDocument(...groups: readonly string[]): string {
  const users = userDocument(["a", "p"], ["b", "q"]);
  return users.replace("</config>", `<groups>${groups.join("")}</groups></config>`);
}

/** The warnings without those about plain text passwords. */
function otherWarnings({ warnings }: UserFile): readonly string[] {
  return warnings.filter((warning) => !warning.includes("plain text"));
}

function groupsOf(file: UserFile): Record<string, string[]> {
  return Object.fromEntries([...file.principals.groups].map(([key, users]) => [key, [...users]]));
}

describe("users of the user file", () => {
  test("a file without users and groups is fine", async () => {
    expect((await readUsers(document("config", ""))).principals.users.size).toBe(0);
  });

  test("an id is trimmed, and keeps its spelling", async () => {
    expect([...(await readUsers(userDocument([" Risk Desk ", "p"]))).principals.users]).toEqual([
      ["risk desk", "Risk Desk"],
    ]);
  });

  test("an empty or missing id is skipped with a warning", async () => {
    const file = await readUsers(
      document("config", '<users><user id=" "><password>p</password></user><user/></users>'),
    );
    expect(file.principals.users.size).toBe(0);
    expect(file.warnings).toEqual([
      expect.stringMatching(/^users.xml:1:\d+: a user without id is skipped$/),
      expect.stringMatching(/^users.xml:1:\d+: a user without id is skipped$/),
    ]);
  });

  test("D-UAC 13: users with the same name are all refused, with an error; similar names are others", async () => {
    const users = [
      ["José", "1"],
      ["JOSE\u0301", "2"],
      ["Jose", "3"],
      ["b", "4"],
      ["B", "5"],
      ["b", "6"],
    ] as const;
    const file = await readUsers(userDocument(...users));
    expect([...file.principals.users.values()]).toEqual(["Jose"]);
    expect([...file.passwords.keys()]).toEqual(["jose"]);
    expect(file.errors).toEqual([
      expect.stringMatching(
        /^users.xml:1:\d+: these have one name, so none of them counts: user "José" in line 1, user "JOSE\u0301" in line 1; /,
      ),
      expect.stringMatching(/: user "b" in line 1, user "B" in line 1, user "b" in line 1; rename all but one$/),
    ]);
  });

  test("a name that HTTP Basic cannot carry is warned about, with control characters escaped", async () => {
    const file = await readUsers(userDocument(["a:b", "p"], ["a&#x9b;b&#10;c", "p"]));
    expect(otherWarnings(file)).toEqual([
      expect.stringContaining('user "a:b" cannot log in'),
      expect.stringContaining('user "a\\u009bb\\nc" cannot log in'),
    ]);
  });
});

describe("groups of the user file", () => {
  test("a group holds users and groups that are declared above it", async () => {
    const file = await readUsers(groupDocument(group("inner", "A"), group("Outer", "inner", " b ")));
    expect(groupsOf(file)).toEqual({ inner: ["a"], outer: ["a", "b"] });
    expect(otherWarnings(file)).toEqual([]);
  });

  test("a group that is declared further down is unknown, so groups cannot form a cycle", async () => {
    const file = await readUsers(groupDocument(group("one", "two", "a"), group("two", "one", "two", "b")));
    expect(groupsOf(file)).toEqual({ one: ["a"], two: ["a", "b"] });
    expect(otherWarnings(file)).toEqual([
      expect.stringContaining('group "one": "two" is skipped: it is not defined above'),
      expect.stringContaining('group "two": "two" is skipped: it is not defined above'),
    ]);
  });

  test("groups are read after users even when they stand first", async () => {
    const xml = document(
      "config",
      `<groups>${group("g", "a")}</groups><users><user id="a"><password>p</password></user></users>`,
    );
    expect(groupsOf(await readUsers(xml))).toEqual({ g: ["a"] });
  });

  test("D-UAC 13: a group with the name of a user, and two groups of one name, are refused with an error", async () => {
    const file = await readUsers(
      groupDocument(group("A", "b"), group("g", "b"), group("G", "b"), group("h", "g", "b")),
    );
    expect([...file.principals.users.keys()]).toEqual(["b"]);
    expect(groupsOf(file)).toEqual({ h: ["b"] });
    expect(file.errors).toEqual([
      expect.stringContaining('user "a" in line 1, group "A" in line 1'),
      expect.stringContaining('group "g" in line 1, group "G" in line 1'),
    ]);
    expect([...file.principals.ambiguous]).toEqual([
      ["a", new Set(["b"])],
      ["g", new Set(["b"])],
    ]);
    expect([...file.principals.incomplete]).toEqual([["h", ["g"]]]);
  });
});

describe("D-UAC 1: an empty password refuses the file", () => {
  test.each([
    ["empty", userDocument(["a", "p"], ["riskdesk", ""])],
    ["blank", userDocument(["a", "p"], ["riskdesk", " \n "])],
    ["missing", document("config", '<users><user id="riskdesk"/></users>')],
    // One block of padding, encrypted.
    ["empty once decoded", userDocument(["riskdesk", "EV117c1b9f67e28350"])],
  ])("in any form: %s", async (_name, xml) => {
    expect(await messageOf(() => readUsers(xml))).toMatch(/^users.xml:\d+:\d+: user "riskdesk": the password is empty/);
  });
});

describe("D-UAC 2: passwords that lie open are warned about, once for each user", () => {
  test("in plain text and EV, but not as hashes; never with the password", async () => {
    const bcrypt = "$2b$04$ykIB.HODQ3WDTdf8K5ONcOJTbzRdexU0uLBk93xzY49rnhpzY9coK";
    const xml = userDocument(["plain", "open-sesame"], ["mangled", "EVcaa4173c96ca24ac"], ["hashed", bcrypt]);
    const { warnings } = await readUsers(xml);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^users.xml:1:\d+: user "plain": the password is plain text; replace it by the output/);
    expect(warnings[1]).toMatch(/^users.xml:1:\d+: user "mangled": the password is only obfuscated/);
    expect(warnings.join()).not.toMatch(/open-sesame|secret|caa4/);
  });

  test("and a malformed hash refuses the file, naming the user and not the hash", async () => {
    const message = await messageOf(() => readUsers(userDocument(["opsbot", "$scrypt$ln=15,r=8,p=1$tooshort"])));
    expect(message).toMatch(/^users.xml:1:\d+: user "opsbot": the scrypt hash is malformed/);
    expect(message).not.toContain("tooshort");
  });
});

describe("D-UAC 6: environment variables in the user file", () => {
  test("replace tokens anywhere in the file, before the XML is parsed", async () => {
    const file = await readUsers(userDocument([`\${NAME}`, `\${A}-\${B}`]), { NAME: "alice", A: "x&amp;", B: "$'$`" });
    expect([...file.principals.users.values()]).toEqual(["alice"]);
    expect(hasPassword(file, "alice", "x&-$'$`")).toBe(true);
  });

  test("may hold a hash", async () => {
    const file = await readUsers(userDocument(["a", `\${HASH}`]), {
      HASH: "$2b$04$ykIB.HODQ3WDTdf8K5ONcOJTbzRdexU0uLBk93xzY49rnhpzY9coK",
    });
    expect(file.passwords.get("a")?.kind).toBe("hash");
  });

  test("are not substituted again in a value", async () => {
    const file = await readUsers(userDocument(["a", `\${A}`]), { A: `\${B}`, B: "no" });
    expect(hasPassword(file, "a", `\${B}`)).toBe(true);
  });

  test.each([
    ["unset", {}],
    ["empty", { RISKDESK_PASSWORD: "" }],
  ])("leave the literal if the variable is %s, which is nobody's password", async (_name, environment) => {
    const file = await readUsers(userDocument(["riskdesk", `\${RISKDESK_PASSWORD}`], ["b", "p"]), environment);
    expect(file.passwords.get("riskdesk")).toEqual({ kind: "locked" });
    expect(hasPassword(file, "b", "p")).toBe(true);
    expect(file.warnings[0]).toMatch(
      /^users.xml:1:\d+: user "riskdesk" cannot log in: the environment variable RISKDESK_PASSWORD of the password is not set$/,
    );
  });

  test("are never taken from the prototype of the environment", async () => {
    expect((await readUsers(userDocument(["a", `\${constructor}`]))).passwords.get("a")).toEqual({ kind: "locked" });
  });

  const breaking = [
    "hidden<secret",
    "hidden&secret",
    "hidden<secret/>",
    "</password><hidden/>",
    "hidden]]>",
    "\u0001hidden",
  ];
  test.each(breaking)("are not shown when their value breaks the XML: %j", async (value) => {
    const xml = userDocument(["a", `\n\${OPS_PASSWORD}`]);
    const message = await messageOf(() => readUsers(xml, { OPS_PASSWORD: value }));
    expect(message).toMatch(
      /^users.xml:2:1: the file is not valid XML once environment variables are filled in \(OPS_PASSWORD\)/,
    );
    expect(message).not.toMatch(/hidden|secret/);
  });

  test("do not hide a fault of the file itself, which is reported at its place", async () => {
    const xml = document("config", `<users><user id="a"><password>\${P}</password></user></users>\n<user/>`);
    const message = await messageOf(() => readUsers(xml, { P: "one\ntwo\nthree" }));
    expect(message).toBe("users.xml:2:1: unknown element <user> in <config>; it may hold <users>, <groups>");
  });

  test("property: are never shown, whatever their value", async () => {
    const value = fc.string({
      minLength: 12,
      unit: fc.constantFrom("q", "z", "<", "&", "/", ">", '"', "]", "!", "$", "{", "}"),
    });
    await fc.assert(
      fc.asyncProperty(value, async (secret) => {
        const shown: string[] = [];
        try {
          shown.push(...(await readUsers(userDocument(["a", `\${P}`]), { P: secret })).warnings);
        } catch (error) {
          shown.push(String(error));
        }
        expect(shown.join()).not.toMatch(/[qz]{2}/);
      }),
    );
  });
});
