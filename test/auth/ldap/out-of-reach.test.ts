import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Slapd, startSlapd } from "../../support/slapd.ts";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy.ts";
import { dnOf, group, LdapRig, ldapDocument, person, tree, urlOf } from "./directory-setup.ts";

/** Nothing listens there. */
const DEAD = "ldap://127.0.0.1:1";
const ENTRIES = tree(person("alice"), person("bob"), group("traders", dnOf("alice"), dnOf("bob")));

let slapd: Slapd;
let rig: LdapRig;

beforeAll(async () => {
  slapd = await startSlapd({ entries: ENTRIES });
});

afterAll(() => slapd.stop());

beforeEach(async () => {
  rig = await LdapRig.create();
});

afterEach(async () => {
  await rig.close();
  await slapd.restart();
});

describe("D-HTTP 10: with an unreachable LDAP directory, credentials can be neither accepted nor refused", () => {
  test("D-AUTH 10: at the start the gateway starts, knows no one, rejects every login, and retries until the directory is there", async () => {
    await slapd.crash();
    await rig.writeLdap(ldapDocument([urlOf(slapd)]));
    await rig.open();
    expect(rig.users).toEqual([]);
    expect(rig.errors).toEqual([
      expect.stringMatching(/^The LDAP directory was not loaded.*: ldap:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/),
    ]);
    await expect(rig.login("alice")).rejects.toThrow("The LDAP directory could not be loaded since the start");
    await slapd.restart();
    rig.clock.advance(10_000);
    await expect.poll(() => rig.users).toEqual(["alice", "bob"]);
    expect(await rig.kindOf("alice")).toBe("principal");
  });

  test("later logins are rejected, known and unknown alike; the previous users, groups and logins stay", async () => {
    await rig.writeLdap(ldapDocument([urlOf(slapd)]));
    await rig.open();
    expect(await rig.kindOf("alice")).toBe("principal");
    await slapd.crash();
    await expect(rig.login("bob")).rejects.toThrow(/^ldap:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/);
    await expect(rig.login("nobody")).rejects.toThrow("ECONNREFUSED");
    expect(await rig.authentication.reload()).toBe(false);
    expect(rig.errors).toEqual([expect.stringContaining("the previous users and groups stay active: ldap://")]);
    expect(rig.users).toEqual(["alice", "bob"]);
    expect(await rig.login("alice")).toMatchObject({ principal: { permissions: new Set(["HALT_RESUME_TRADING"]) } });
    await slapd.restart();
    expect(await rig.kindOf("bob")).toBe("principal");
    expect(await rig.authentication.reload()).toBe(true);
  });

  test("and a server that hangs costs the timeout, both the load at the start and a login", async () => {
    await rig.writeLdap(ldapDocument([urlOf(slapd)]));
    await rig.open({ timeoutMs: 500 });
    await slapd.freeze();
    await expect(rig.login("bob")).rejects.toThrow(/timed out|no response/);
    expect(await rig.authentication.reload()).toBe(false);
    expect(rig.users).toEqual(["alice", "bob"]);
    await slapd.thaw();
    await expect.poll(() => rig.kindOf("bob")).toBe("principal");
  });

  test("until the directory is closed, which ends a load and a login that hang", async () => {
    await rig.writeLdap(ldapDocument([urlOf(slapd)]));
    await rig.open({ timeoutMs: 600_000 });
    await slapd.freeze();
    const ended = Promise.allSettled([rig.login("bob"), rig.authentication.reload()]);
    await expect.poll(() => process.getActiveResourcesInfo()).toContain("TCPSocketWrap");
    rig.authentication.close();
    expect((await ended).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect([rig.errors, rig.clock.pending]).toEqual([[], 0]);
  });
});

describe("LDAP fail-over", () => {
  test("tries servers in their order: one that is away costs nothing but the attempt", async () => {
    await rig.writeLdap(ldapDocument([DEAD, urlOf(slapd)]));
    await rig.open();
    expect([rig.users, rig.errors]).toEqual([["alice", "bob"], []]);
    expect(await rig.kindOf("alice")).toBe("principal");
    expect(await rig.kindOf("bob", "wrong")).toBe("challenge");
  });

  test("names each server in the error when all are away", async () => {
    await rig.writeLdap(ldapDocument([DEAD, `ldaps://127.0.0.1:2`]));
    await rig.open();
    expect(rig.errors).toEqual([
      expect.stringMatching(/: ldap:\/\/127\.0\.0\.1:1: connect ECONN.*; ldaps:\/\/127\.0\.0\.1:2: connect ECONN/),
    ]);
  });

  test("moves logins and loads to the second server when the first is lost, and back when it returns", async () => {
    const second = await startSlapd({ entries: tree(person("alice"), group("traders", dnOf("alice"))) });
    try {
      await rig.writeLdap(ldapDocument([urlOf(slapd), urlOf(second)]));
      await rig.open();
      expect(rig.users).toEqual(["alice", "bob"]);
      await slapd.crash();
      expect(await rig.kindOf("alice")).toBe("principal");
      expect(await rig.authentication.reload()).toBe(true);
      expect(rig.users).toEqual(["alice"]);
      await slapd.restart();
      expect(await rig.authentication.reload()).toBe(true);
      expect(rig.users).toEqual(["alice", "bob"]);
    } finally {
      await second.stop();
    }
  });

  test("tries a server that did not respond last for 30 seconds, so that not every login waits for it", async () => {
    const hanging = await startSlapd({ entries: ENTRIES });
    const proxy = await startTcpProxy(hanging.port);
    try {
      await rig.writeLdap(ldapDocument([`ldap://127.0.0.1:${proxy.port}`, urlOf(slapd)]));
      await rig.open({ timeoutMs: 500 });
      await hanging.freeze();
      await refused(proxy, "guess 1", true);
      await refused(proxy, "guess 2", false);
      rig.clock.advance(30_001);
      await refused(proxy, "guess 3", true);
    } finally {
      await proxy.close();
      await hanging.stop();
    }
  });

  async function refused(proxy: TcpProxy, password: string, asksFirst: boolean): Promise<void> {
    const before = proxy.chunks.length;
    expect(await rig.kindOf("alice", password)).toBe("challenge");
    expect(proxy.chunks.length > before).toBe(asksFirst);
  }

  test("does not happen within a load: a lost connection fails it, rather than continue anonymously", async () => {
    const proxy = await startTcpProxy(slapd.port);
    try {
      await rig.writeLdap(ldapDocument([`ldap://127.0.0.1:${proxy.port}`]));
      await rig.open();
      const loading = rig.authentication.reload();
      const before = proxy.chunks.length;
      // The bind, and the search after it.
      await vi.waitUntil(() => proxy.chunks.length >= before + 2, { timeout: 60_000, interval: 0 });
      proxy.destroyAll();
      expect(await loading).toBe(false);
      expect(rig.users).toEqual(["alice", "bob"]);
    } finally {
      await proxy.close();
    }
  });
});
