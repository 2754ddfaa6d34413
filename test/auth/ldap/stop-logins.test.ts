import { Attribute, Change } from "ldapts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Slapd, startSlapd } from "../../support/slapd.ts";
import { allow } from "../access-files.ts";
import { change, dnOf, GROUPS, group, LdapRig, ldapDocument, person, tree, urlOf } from "./directory-setup.ts";

const HOUR_MS = 3_600_000;
const REMEMBERED_MS = 300_001;
const TRADERS = ["alice", "bob", "carol"];

let slapd: Slapd;
let rig: LdapRig;

beforeAll(async () => {
  slapd = await startSlapd({
    entries: tree(...TRADERS.map((name) => person(name)), group("traders", ...TRADERS.map((name) => dnOf(name)))),
  });
});

afterAll(() => slapd.stop());

beforeEach(async () => {
  rig = await LdapRig.create();
  await rig.writeLdap(ldapDocument([urlOf(slapd)]));
});

afterEach(async () => {
  await rig.close();
  await slapd.restart();
});

/** Logs in, lets the memory of five minutes pass, and takes the directory away. */
async function loseAfterLogin(name: string): Promise<void> {
  expect(await rig.kindOf(name)).toBe("principal");
  await slapd.crash();
  rig.clock.advance(REMEMBERED_MS);
}

describe("D-AUTH 11: credentials that the directory has accepted are worth a stop while it is unreachable", () => {
  test("a stop is let in, with name and permissions of before, and the log says so; everything else is rejected", async () => {
    await rig.open();
    await loseAfterLogin("alice");
    await expect(rig.login("alice")).rejects.toThrow("ECONNREFUSED");
    expect(await rig.loginForStop("alice")).toEqual({
      kind: "principal",
      isPasswordVerified: true,
      principal: { name: "alice", permissions: new Set(["HALT_RESUME_TRADING"]), authentication: "basic" },
    });
    await expect(rig.login("alice")).rejects.toThrow("ECONNREFUSED");
    expect(rig.warnings).toEqual([
      expect.stringMatching(/^The directory is unreachable: "alice" is let in for a stop, by credentials .* at \d{4}-/),
    ]);
    expect(rig.warnings.join()).not.toContain("password of");
  });

  test("but no other credentials: neither a wrong password nor a user who never logged in", async () => {
    await rig.open();
    await loseAfterLogin("alice");
    await expect(rig.loginForStop("alice", "wrong")).rejects.toThrow("ECONNREFUSED");
    await expect(rig.loginForStop("bob")).rejects.toThrow("ECONNREFUSED");
    expect(rig.warnings).toEqual([]);
  });

  test("for 12 hours after they were accepted, or as long as is configured; with 0 never", async () => {
    await rig.open();
    await loseAfterLogin("alice");
    rig.clock.advance(12 * HOUR_MS - REMEMBERED_MS - 1);
    expect(await rig.loginForStop("alice")).toMatchObject({ kind: "principal" });
    rig.clock.advance(1);
    await expect(rig.loginForStop("alice")).rejects.toThrow("ECONNREFUSED");
    for (const [stopLifetimeMs, kind] of [
      [HOUR_MS, "principal"],
      [0, "rejected"],
    ] as const) {
      await slapd.restart();
      rig.authentication.close();
      await rig.open({ stopLifetimeMs });
      await loseAfterLogin("alice");
      const found = await rig.loginForStop("alice").catch(() => ({ kind: "rejected" }));
      expect(found.kind).toBe(kind);
    }
  });

  test("and a silent directory is waited for half a second, and decides again once it responds", async () => {
    await rig.open({ timeoutMs: 60_000 });
    expect(await rig.kindOf("alice")).toBe("principal");
    rig.clock.advance(REMEMBERED_MS);
    await slapd.freeze();
    const waiting = rig.loginForStop("alice");
    let isDone = false;
    void waiting.then(() => {
      isDone = true;
    });
    rig.clock.advance(499);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    rig.clock.advance(1);
    expect(await waiting).toMatchObject({ kind: "principal" });
    await slapd.thaw();
    await expect.poll(() => rig.kindOf("alice")).toBe("principal");
    expect(rig.warnings).toHaveLength(1);
  });

  test("a directory within reach decides: a refusal ends what was known", async () => {
    await rig.open();
    expect(await rig.kindOf("carol")).toBe("principal");
    await change(slapd, (client) =>
      client.modify(
        dnOf("carol"),
        new Change({ operation: "replace", modification: new Attribute({ type: "userPassword", values: ["new"] }) }),
      ),
    );
    rig.clock.advance(REMEMBERED_MS);
    expect(await rig.loginForStop("carol")).toMatchObject({ kind: "challenge" });
    await slapd.crash();
    await expect(rig.loginForStop("carol")).rejects.toThrow("ECONNREFUSED");
  });

  test("a user who was removed is not let in, not even after having come back", async () => {
    await rig.open();
    expect(await rig.kindOf("bob")).toBe("principal");
    await setTraders("alice", "carol");
    expect(await rig.authentication.reload()).toBe(true);
    expect(rig.users).not.toContain("bob");
    await setTraders(...TRADERS);
    expect(await rig.authentication.reload()).toBe(true);
    expect(rig.users).toContain("bob");
    await slapd.crash();
    await expect(rig.loginForStop("bob")).rejects.toThrow("ECONNREFUSED");
  });

  async function setTraders(...names: readonly string[]): Promise<void> {
    const modification = new Attribute({ type: "uniqueMember", values: names.map((name) => dnOf(name)) });
    await change(slapd, (client) =>
      client.modify(`cn=traders,${GROUPS}`, new Change({ operation: "replace", modification })),
    );
  }

  test("D-UAC 5: new access rules count while the directory is unreachable", async () => {
    await rig.open();
    await loseAfterLogin("alice");
    await rig.writeRules(allow("traders", "CONTROL_FIX_SESSION"));
    expect(await rig.authentication.reload()).toBe(false);
    expect(await rig.loginForStop("alice")).toMatchObject({
      principal: { permissions: new Set(["CONTROL_FIX_SESSION"]) },
    });
    expect(rig.users).toEqual(TRADERS);
  });

  test("at most 20 lines a minute go to the log", async () => {
    await rig.open();
    await loseAfterLogin("alice");
    for (let count = 0; count < 30; count += 1) await rig.loginForStop("alice");
    expect(rig.warnings).toHaveLength(20);
    expect(rig.warnings.at(-1)).toMatch(/Others within this minute are not logged$/);
    rig.clock.advance(60_000);
    await rig.loginForStop("alice");
    expect(rig.warnings).toHaveLength(21);
  });
});
