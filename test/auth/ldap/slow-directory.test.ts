import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allow, deny } from "../access-files.ts";
import { dnOf, GROUPS, LdapRig, ldapDocument } from "./directory-setup.ts";
import { type Attributes, startScriptedDirectory } from "./scripted-directory.ts";

const HALT = "HALT_RESUME_TRADING";
const TRADERS = `cn=traders,${GROUPS}`;

let rig: LdapRig;
let directory: ScriptedDirectory;

beforeEach(async () => {
  rig = await LdapRig.create();
  directory = await ScriptedDirectory.start();
  await rig.writeLdap(ldapDocument([directory.url]));
});

afterEach(async () => {
  directory.hasEnd = true;
  await rig.close();
  await directory.close();
});

/** A directory with one user, who is all that its group has, or one of the ranges of it that have no end, each of which comes immediately. */
class ScriptedDirectory {
  hasEnd = true;
  /** Ranges that were asked for. */
  asked = 0;
  /** Times that the user was read. */
  loads = 0;
  url = "";
  close: () => Promise<void> = async () => {};
  readonly #user: string;

  private constructor(user: string) {
    this.#user = user;
  }

  static async start(user = "alice"): Promise<ScriptedDirectory> {
    const directory = new ScriptedDirectory(user);
    Object.assign(directory, await startScriptedDirectory((request) => directory.#answer(request)));
    return directory;
  }

  #answer(request: string): Readonly<Record<string, Attributes>> {
    const dn = dnOf(this.#user);
    if (request.includes(`cn=${this.#user},`)) {
      this.loads += 1;
      return { [dn]: { objectClass: ["person"], cn: [this.#user] } };
    }
    const from = /uniqueMember;range=(\d+)-\*/.exec(request)?.[1];
    if (from !== undefined) this.asked += 1;
    const range = `uniqueMember;range=${from ?? 0}-${this.hasEnd ? "*" : (from ?? 0)}`;
    return {
      [TRADERS]: { objectClass: ["groupOfUniqueNames"], cn: ["traders"], uniqueMember: [], [range]: [dn] },
    };
  }

  async isBeingRead(): Promise<void> {
    const before = this.asked;
    await expect.poll(() => this.asked).toBeGreaterThan(before + 3);
  }
}

function permissions(): readonly string[] | undefined {
  const [alice] = rig.authentication.users();
  return alice && [...alice.permissions];
}

describe("D-UAC 22: new access rules do not wait for a directory that always has more to say", () => {
  test("they count for the users of the previous load, also when one is in progress; its end is that of the limit, and an error", async () => {
    await rig.open();
    expect(permissions()).toEqual([HALT]);
    directory.hasEnd = false;
    const reloaded = rig.authentication.reload();
    await directory.isBeingRead();
    await rig.writeRules(allow("traders", HALT), deny("alice", HALT));
    rig.clock.advance(2_000);
    await expect.poll(permissions).toEqual([]);
    expect(rig.errors).toEqual([]);
    rig.clock.advance(300_000);
    expect(await reloaded).toBe(false);
    expect(rig.errors).toEqual([
      `The LDAP directory was not loaded, the previous users and groups stay active: ${directory.url}: it responds, but was not done within 300 s`,
    ]);
    expect(permissions()).toEqual([]);
  });

  test("and a load that was begun with the previous rules does not bring them back", async () => {
    await rig.open();
    directory.hasEnd = false;
    const reloaded = rig.authentication.reload();
    await directory.isBeingRead();
    await rig.writeRules(allow("traders", HALT), deny("alice", HALT));
    rig.clock.advance(2_000);
    await expect.poll(permissions).toEqual([]);
    directory.hasEnd = true;
    expect(await reloaded).toBe(true);
    expect(permissions()).toEqual([]);
  });

  test("nor does a new LDAP file: what the previous one has begun no longer counts, nor fails", async () => {
    const second = await ScriptedDirectory.start("bob");
    try {
      await rig.open();
      directory.hasEnd = false;
      const reloaded = rig.authentication.reload();
      await directory.isBeingRead();
      await rig.writeLdap(ldapDocument([second.url]));
      rig.clock.advance(2_000);
      await expect.poll(() => rig.users).toEqual(["bob"]);
      rig.clock.advance(300_000);
      expect(await reloaded).toBe(true);
      expect([rig.users, rig.errors]).toEqual([["bob"], []]);
    } finally {
      await second.close();
    }
  });

  test("of the loads that changes ask for while one is in progress, one is done", async () => {
    await rig.open();
    directory.hasEnd = false;
    const reloaded = rig.authentication.reload();
    await directory.isBeingRead();
    for (const permission of [[HALT], [], [HALT], []]) {
      await rig.writeRules(permission.map((name) => allow("traders", name)).join(""));
      rig.clock.advance(2_000);
      await expect.poll(permissions).toEqual(permission);
    }
    directory.hasEnd = true;
    expect(await reloaded).toBe(true);
    expect(await rig.authentication.reload()).toBe(true);
    // The first, the one in progress, one for all changes, and the last.
    expect(directory.loads).toBe(4);
  });

  test("the next server is asked when the limit is over", async () => {
    const second = await ScriptedDirectory.start();
    try {
      directory.hasEnd = false;
      await rig.writeLdap(ldapDocument([directory.url, second.url]));
      const opening = rig.open();
      await directory.isBeingRead();
      rig.clock.advance(300_000);
      await opening;
      await expect.poll(() => rig.users).toEqual(["alice"]);
      expect(rig.errors).toEqual([]);
    } finally {
      await second.close();
    }
  });
});

describe("D-AUTH 10: a directory that is slow does not keep the gateway from starting", () => {
  test("it starts after ten seconds, credentials can be neither accepted nor refused, and the load continues", async () => {
    directory.hasEnd = false;
    const opening = rig.open();
    await directory.isBeingRead();
    rig.clock.advance(9_999);
    expect(await Promise.race([opening, directory.isBeingRead().then(() => "waits")])).toBe("waits");
    rig.clock.advance(1);
    await opening;
    expect(rig.users).toEqual([]);
    await expect(rig.login("alice")).rejects.toThrow("could not be loaded since the start");
    expect([rig.warnings, rig.errors]).toEqual([[expect.stringContaining("still being read")], []]);
    directory.hasEnd = true;
    await expect.poll(() => rig.users).toEqual(["alice"]);
    expect(await rig.kindOf("alice")).toBe("principal");
  });
});
