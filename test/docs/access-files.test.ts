import { describe, expect, it } from "vitest";
import { readLdapFile } from "../../src/auth/ldap/ldap-file.ts";
import { LoopTurns } from "../../src/core/load/turns.ts";
import { operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { permissionsOf, readRules, readUsers } from "../auth/access-files.ts";
import { readText } from "./bus-files.ts";

const FOLDER = "examples/demo/access";
const PAGE = readText("docs/reference/access-files.md");

/** Cells of the rows of the page's tables whose first cell is in backticks. */
function rows(): string[][] {
  const lines = PAGE.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function cellOf(name: string): string {
  return rows().find(([first]) => first === `\`${name}\``)?.[1] ?? "";
}

describe("docs/reference/access-files.md", async () => {
  const users = await readUsers(readText(`${FOLDER}/uac-file-security.xml`), { BOB_PASSWORD: "of bob" });
  const rules = await readRules(readText(`${FOLDER}/uac-access-rules.xml`));

  it("has rules that come to what its table says", async () => {
    const { permissions, warnings } = await permissionsOf(rules.rules, users.principals);
    expect([...rules.warnings, ...warnings]).toEqual([]);
    for (const [key, granted] of permissions) {
      const name = users.principals.users.get(key) ?? "";
      expect([name, cellOf(name)]).toEqual([name, [...granted].join(", ") || "none: may read"]);
    }
    expect(permissions.size).toBe(4);
  });

  it("has users with passwords of every form but bcrypt, and the open ones cause a warning", () => {
    expect([...users.passwords.values()].map(({ kind }) => kind)).toEqual(["hash", "text", "text", "text"]);
    expect(users.warnings.map((warning) => /(plain text|obfuscated)/.exec(warning)?.[1])).toEqual([
      "plain text",
      "obfuscated",
      "plain text",
    ]);
  });

  it("has a directory that is read without a warning", async () => {
    const source = readText(`${FOLDER}/uac-ldap-security.xml`);
    const { configuration, warnings } = await readLdapFile("ldap", source, new LoopTurns());
    expect(warnings).toEqual([]);
    expect(configuration.servers.map(({ protection }) => protection)).toEqual(["tls", "starttls"]);
    expect(configuration).toMatchObject({
      account: { password: "s3rvice" },
      user: { id: "sAMAccountName" },
      group: { members: "member" },
    });
  });

  it("has permissions that open the operations that it names", () => {
    const opened = new Map<string, string[]>();
    for (const name of operationNames) {
      const { permission } = operationRecord(operations, name);
      if (permission) opened.set(permission, [...(opened.get(permission) ?? []), name]);
    }
    expect(opened.size).toBe(5);
    for (const [permission, names] of opened) {
      expect(cellOf(permission).match(/\w+/g)?.sort()).toEqual(names.sort());
    }
  });
});
