import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Authentication, closedAuthenticator } from "../../src/auth/authenticator.ts";
import { openSimpleAuthentication, type SimpleAuthentication } from "../../src/auth/simple.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { allow, basic, deny, ruleDocument, userDocument } from "./access-files.ts";

let directory: string;
let clock: ManualClock;
let warnings: string[];
let errors: string[];
let opened: SimpleAuthentication | undefined;

const HALT = "HALT_RESUME_TRADING";
const userFile = () => join(directory, "uac-file-security.xml");
const ruleFile = () => join(directory, "uac-access-rules.xml");

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "access-files-"));
  clock = new ManualClock();
  warnings = [];
  errors = [];
  writeFileSync(userFile(), userDocument(["Alice", "secret"], ["bob", `\${BOB}`]));
  writeFileSync(ruleFile(), ruleDocument(allow("alice", HALT)));
});

afterEach(() => {
  opened?.close();
  opened = undefined;
  rmSync(directory, { recursive: true });
});

async function open(): Promise<SimpleAuthentication> {
  const log = {
    info: () => {},
    warn: (text: string) => warnings.push(text),
    error: (text: string) => errors.push(text),
  };
  opened = await openSimpleAuthentication({ directory, environment: { BOB: "bob-pw" }, clock, log });
  return opened;
}

async function login(simple: SimpleAuthentication, name: string, password: string): Promise<Authentication> {
  return simple.authenticator.authenticate(basic(name, password));
}

async function kindOf(simple: SimpleAuthentication, name: string, password: string): Promise<Authentication["kind"]> {
  return (await login(simple, name, password)).kind;
}

/** Lets the watch look at the files, and waits until it is done. */
async function look(): Promise<void> {
  clock.advance(2000);
  expect(clock.pending).toBe(0);
  await expect.poll(() => clock.pending).toBe(1);
}

describe("SIMPLE authentication", () => {
  test("takes users and permissions from both files", async () => {
    const simple = await open();
    expect(await login(simple, "ALICE", "secret")).toEqual({
      kind: "principal",
      isPasswordVerified: true,
      principal: { name: "Alice", permissions: new Set([HALT]), authentication: "basic" },
    });
    expect(await login(simple, "bob", "bob-pw")).toMatchObject({ principal: { name: "bob", permissions: new Set() } });
    expect(await kindOf(simple, "bob", `\${BOB}`)).toBe("challenge");
  });

  test("lists users with their permissions for a summary", async () => {
    expect((await open()).users()).toEqual([
      { name: "Alice", permissions: new Set([HALT]) },
      { name: "bob", permissions: new Set() },
    ]);
  });

  test("D-UAC 6: leaves out a user whose variable is not set, in logins and summary, and no other", async () => {
    writeFileSync(userFile(), userDocument(["Alice", "secret"], ["carol", `\${CAROL}`]));
    const simple = await open();
    expect(simple.users().map(({ name }) => name)).toEqual(["Alice"]);
    expect(await kindOf(simple, "carol", `\${CAROL}`)).toBe("challenge");
    expect(await kindOf(simple, "alice", "secret")).toBe("principal");
  });

  test("logs the warnings of both files, with absolute paths and without passwords", async () => {
    writeFileSync(ruleFile(), ruleDocument(allow("nobody", HALT), "<allow/>"));
    await open();
    expect(warnings).toEqual([
      expect.stringMatching(`^${userFile()}:1:\\d+: user "Alice": the password is plain text`),
      expect.stringMatching(`^${userFile()}:1:\\d+: user "bob": the password is plain text`),
      expect.stringMatching(`^${ruleFile()}:1:\\d+: this allow rule is skipped`),
      expect.stringMatching(`^${ruleFile()}:1:\\d+: allow rule: "nobody" is skipped`),
    ]);
    expect(warnings.join()).not.toMatch(/secret[^.]|bob-pw/);
    expect(errors).toEqual([]);
  });

  test("D-UAC 13: users with one name cannot log in, and the log has an error; after a rename both can", async () => {
    writeFileSync(userFile(), userDocument(["José", "one"], ["JOSÉ", "two"], ["Jose", "three"]));
    const simple = await open();
    expect(errors).toEqual([expect.stringMatching(`^${userFile()}:1:\\d+: these have one name`)]);
    expect(await kindOf(simple, "José", "one")).toBe("challenge");
    expect(await kindOf(simple, "josé", "two")).toBe("challenge");
    expect(await kindOf(simple, "jose", "three")).toBe("principal");
    expect(simple.users().map(({ name }) => name)).toEqual(["Jose"]);
    writeFileSync(userFile(), userDocument(["José", "one"], ["José 2", "two"]));
    expect(await simple.reload()).toBe(true);
    expect(await kindOf(simple, "JOSÉ", "one")).toBe("principal");
  });

  test("D-UAC 14: a deny that names nobody keeps the file from being used, at the start and at a reload", async () => {
    const rules = ruleDocument(allow("alice", HALT), deny("alcie", HALT));
    writeFileSync(ruleFile(), rules);
    await expect(open()).rejects.toThrow(/uac-access-rules.xml:1:\d+: deny rule: there is no user or group "alcie"; /);
    writeFileSync(ruleFile(), ruleDocument(deny("*", HALT)));
    const simple = await open();
    writeFileSync(ruleFile(), rules);
    expect(await simple.reload()).toBe(false);
    expect(errors).toEqual([expect.stringContaining("the previous rules stay active")]);
    expect(simple.users()[0]?.permissions).toEqual(new Set());
  });

  test("D-UAC 14: a user whom a deny names loses access when they are removed, whatever the rules say", async () => {
    writeFileSync(ruleFile(), ruleDocument(allow("alice", HALT), deny("bob", HALT)));
    const simple = await open();
    expect(await kindOf(simple, "bob", "bob-pw")).toBe("principal");
    writeFileSync(userFile(), userDocument(["Alice", "secret"]));
    expect(await simple.reload()).toBe(true);
    expect(await kindOf(simple, "bob", "bob-pw")).toBe("challenge");
    expect(errors).toEqual([]);
    expect(warnings).toContainEqual(
      expect.stringMatching(/deny rule: there is no user or group "bob"; what it was to take away stays/),
    );
  });

  test("fails to start without a file, naming its absolute path", async () => {
    rmSync(ruleFile());
    await expect(open()).rejects.toThrow(`${ruleFile()}: the file does not exist`);
    rmSync(userFile());
    await expect(open()).rejects.toThrow(`${userFile()}: the file does not exist`);
    expect(clock.pending).toBe(0);
  });

  test("fails to start with a file that is not one, not UTF-8 or too large", async () => {
    writeFileSync(userFile(), Buffer.from(userDocument(["a", "ü"]), "latin1"));
    await expect(open()).rejects.toThrow(`${userFile()}: the file is not UTF-8`);
    writeFileSync(userFile(), Buffer.alloc(4 * 1024 * 1024 + 1, " "));
    await expect(open()).rejects.toThrow(`${userFile()}: the file is larger than 4194304 bytes`);
    rmSync(userFile());
    mkdirSync(userFile());
    await expect(open()).rejects.toThrow(`${userFile()}: this is not a file`);
  });

  test("accepts a byte order mark", async () => {
    writeFileSync(userFile(), `\uFEFF${userDocument(["Alice", "secret"])}`);
    expect(await kindOf(await open(), "alice", "secret")).toBe("principal");
  });
});

describe("D-UAC 5: a reload", () => {
  test("ends the access of a removed user immediately, remembered logins included", async () => {
    const simple = await open();
    expect(await kindOf(simple, "alice", "secret")).toBe("principal");
    writeFileSync(userFile(), userDocument(["bob", "bob-pw"]));
    expect(await kindOf(simple, "alice", "secret")).toBe("principal");
    await look();
    expect(await kindOf(simple, "alice", "secret")).toBe("challenge");
    expect(await kindOf(simple, "bob", "bob-pw")).toBe("principal");
    expect(simple.users().map(({ name }) => name)).toEqual(["bob"]);
  });

  test("applies changed rules to users who are logged in", async () => {
    const simple = await open();
    await login(simple, "alice", "secret");
    writeFileSync(ruleFile(), ruleDocument(allow("alice", "*"), deny("alice", HALT)));
    await look();
    const after = await login(simple, "alice", "secret");
    expect(after.kind === "principal" && after.principal.permissions.has(HALT)).toBe(false);
    expect(after.kind === "principal" && after.principal.permissions.size).toBe(4);
  });

  test.each([
    ["not well-formed", () => writeFileSync(userFile(), "<config>")],
    ["an empty password", () => writeFileSync(userFile(), userDocument(["alice", ""]))],
    ["broken rules", () => writeFileSync(ruleFile(), "<rules><permit/></rules>")],
    ["a file that is gone", () => rmSync(ruleFile())],
  ])("%s keeps the old rules, remembered logins included, and is logged once", async (_name, breakFile) => {
    const simple = await open();
    await login(simple, "alice", "secret");
    breakFile();
    await look();
    await look();
    await look();
    expect(simple.authenticator.authenticate(basic("alice", "secret"))).not.toBeInstanceOf(Promise);
    expect(await login(simple, "alice", "secret")).toMatchObject({ principal: { permissions: new Set([HALT]) } });
    expect(errors).toEqual([
      expect.stringMatching(/^Access files were not reloaded, the previous rules stay active: .*uac-.*\.xml:/),
    ]);
  });

  test("logs each broken version, and applies the repaired one", async () => {
    const simple = await open();
    writeFileSync(userFile(), "<config>");
    await look();
    writeFileSync(userFile(), "<config><users>");
    await look();
    expect(errors).toHaveLength(2);
    writeFileSync(userFile(), userDocument(["carol", "new"]));
    await look();
    expect(await kindOf(simple, "carol", "new")).toBe("principal");
    expect(await kindOf(simple, "alice", "secret")).toBe("challenge");
    expect(errors).toHaveLength(2);
  });

  test("notices a change of the same size by its time", async () => {
    const simple = await open();
    const { atime, mtime } = statSync(userFile());
    writeFileSync(userFile(), userDocument(["Alice", "terces"], ["bob", `\${BOB}`]));
    utimesSync(userFile(), atime, new Date(mtime.getTime() + 1));
    await look();
    expect(await kindOf(simple, "alice", "terces")).toBe("principal");
  });

  test("notices a change that keeps size and time, as a copy that preserves them makes", async () => {
    utimesSync(userFile(), 1, 1);
    const simple = await open();
    writeFileSync(userFile(), userDocument(["carol", "secret"], ["bob", `\${BOB}`]));
    utimesSync(userFile(), 1, 1);
    await look();
    expect(await kindOf(simple, "alice", "secret")).toBe("challenge");
  });

  test("does not read files again that have not changed", async () => {
    const simple = await open();
    await login(simple, "alice", "secret");
    const before = warnings.length;
    await look();
    await look();
    expect(warnings).toHaveLength(before);
    expect(simple.authenticator.authenticate(basic("alice", "secret"))).not.toBeInstanceOf(Promise);
  });

  test("can be forced, and says whether the files are active", async () => {
    const simple = await open();
    await login(simple, "alice", "secret");
    expect(await simple.reload()).toBe(true);
    expect(simple.authenticator.authenticate(basic("alice", "secret"))).toBeInstanceOf(Promise);
    writeFileSync(ruleFile(), "<rules>");
    expect(await simple.reload()).toBe(false);
    expect(errors).toHaveLength(1);
    await look();
    expect(errors).toHaveLength(1);
  });

  test("applies to a login that is in progress", async () => {
    const simple = await open();
    const pending = login(simple, "alice", "secret");
    writeFileSync(userFile(), userDocument(["bob", "bob-pw"]));
    const reloaded = simple.reload();
    await pending;
    await reloaded;
    expect(await kindOf(simple, "alice", "secret")).toBe("challenge");
  });

  test("leaves no timer behind after close", async () => {
    const simple = await open();
    expect(clock.pending).toBe(1);
    simple.close();
    expect(clock.pending).toBe(0);
    writeFileSync(userFile(), "<config>");
    clock.advance(10_000);
    expect(await simple.reload()).toBe(false);
    expect(errors).toEqual([]);
  });

  test("leaves no timer behind when closed while it looks at the files", async () => {
    const simple = await open();
    writeFileSync(userFile(), userDocument(["carol", "new"]));
    clock.advance(2000);
    simple.close();
    await simple.reload();
    expect(clock.pending).toBe(0);
    expect(await kindOf(simple, "carol", "new")).toBe("challenge");
  });
});

describe("D-HTTP 9: a closed API", () => {
  test("says so to every caller, credentials or not", () => {
    const closed = closedAuthenticator("authenticationType is NONE");
    const answer = { kind: "closed", reason: "authenticationType is NONE" };
    expect(closed.authenticate(undefined)).toEqual(answer);
    expect(closed.authenticate(basic("alice", "secret"))).toEqual(answer);
  });
});
