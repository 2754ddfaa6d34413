import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSimpleAuthentication } from "../../src/auth/simple.ts";
import { packageVersion } from "../../src/files/package-files.ts";
import { COMMAND, requireCommand, run } from "./command.ts";
import { Workplace } from "./workplace.ts";

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
});

afterEach(() => workplace.close());

/** What a user file with this stored password says to a login. */
async function login(stored: string, password: string): Promise<string> {
  workplace.writeUser("desk", stored);
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} };
  const authentication = await openSimpleAuthentication({ directory: workplace.path, environment: {}, log });
  try {
    expect(warnings).toEqual([]);
    const header = `Basic ${Buffer.from(`desk:${password}`).toString("base64")}`;
    return (await authentication.authenticator.authenticate(header)).kind;
  } finally {
    authentication.close();
  }
}

describe("hash-password (D-UAC 2)", () => {
  it.each([
    ["a password", "correct horse 7 battery", "\n"],
    ["one without a line end", "hunter2", ""],
    ["one from Windows", "hunter2", "\r\n"],
    ["blanks and other characters", "  pä$$wörd <&>\u{1f511} ", "\n"],
  ])("prints a hash of %s that the user file accepts", async (_, password, end) => {
    const { code, stdout, stderr } = await workplace.run(["hash-password"], `${password}${end}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^\$scrypt\$\S+\n$/);
    expect(stdout).not.toContain(password);
    expect(await login(stdout.trim(), password)).toBe("principal");
    expect(await login(stdout.trim(), `${password}x`)).toBe("challenge");
  });

  it("prints another hash each time", async () => {
    const hashes = [await workplace.run(["hash-password"], "same\n"), await workplace.run(["hash-password"], "same\n")];
    expect(new Set(hashes.map(({ stdout }) => stdout)).size).toBe(2);
  });

  it.each(["", "\n"])("refuses an empty password (D-UAC 1): %j", async (input) => {
    const { code, stdout, stderr } = await workplace.run(["hash-password"], input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^trading-admin: [^\n]+\n$/);
  });

  it("takes no password as an argument, where other users could see it", async () => {
    const { code, stdout, stderr } = await workplace.run(["hash-password", "hunter2"], "other\n");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("too many arguments");
  });
});

describe("the command", () => {
  it("is executable as package.json names it, and knows its version", async () => {
    expect(await run(COMMAND, ["--version"], workplace.path)).toEqual({
      code: 0,
      stdout: `${packageVersion()}\n`,
      stderr: "",
    });
  });

  it.each(["", "halt", "positions adjust", "risk update", "audit show"])(
    "D-CLI 22: help fits 80 columns: %s",
    async (command) => {
      const { code, stdout } = await workplace.run([...command.split(" "), "--help"].filter((word) => word !== ""));
      expect({ code, long: stdout.split("\n").filter((line) => line.length > 80) }).toEqual({ code: 0, long: [] });
    },
  );

  it("--help lists what it can do", async () => {
    const { code, stdout, stderr } = await workplace.run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: trading-admin /);
    for (const command of ["serve", "hash-password"]) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    expect((await workplace.run(["serve", "--help"])).stdout).toContain("--config <file>");
  });

  it.each([[["restart"]], [["serve", "now"]], [["serve", "--port", "1"]], [["serve", "--config"]], [[]]])(
    "refuses %j with a message",
    async (args) => {
      const { code, stdout, stderr } = await workplace.run(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^(trading-admin: |Usage: )/);
    },
  );
});
