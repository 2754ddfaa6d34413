import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import * as ldapts from "ldapts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LdapConnection } from "../../../src/auth/ldap/connection.ts";
import { parseLdapUrl } from "../../../src/auth/ldap/server-address.ts";
import { type Slapd, SUFFIX, startSlapd } from "../../support/slapd.ts";
import { basic } from "../access-files.ts";
import { dnOf, group, LdapRig, ldapDocument, person, tree } from "./directory-setup.ts";

let slapd: Slapd;
let proxy: RecordingProxy;
let rig: LdapRig;

beforeAll(async () => {
  slapd = await startSlapd({ entries: tree(person("alice"), person("bob"), group("traders", dnOf("alice"))) });
});

afterAll(() => slapd.stop());

beforeEach(async () => {
  rig = await LdapRig.create();
  proxy = await RecordingProxy.open(slapd.port);
  await rig.writeLdap(ldapDocument([proxy.url]));
  await rig.open();
  proxy.forget();
});

afterEach(async () => {
  await rig.close();
  await proxy.close();
});

describe("LDAP injection: a user name never becomes part of a filter or a distinguished name", () => {
  test.each([
    "*",
    "a*",
    "alice)(objectClass=*",
    "*)(uid=*))(|(uid=*",
    "alice)(&",
    "alice,ou=people",
    `alice,ou=people,${SUFFIX}`,
    `bob,ou=people,${SUFFIX}`,
    "cn=alice",
    "alice\\2a",
    "alice\\",
    "alice+cn=bob",
    `${dnOf("alice")},`,
    ` ${dnOf("alice")}`,
    dnOf("bob"),
    "alice ",
    SUFFIX,
  ])("and %j is not a user, and is not sent to the server", async (name) => {
    expect(await rig.kindOf(name, "password of alice")).toBe("challenge");
    expect(await rig.kindOf(name, "password of bob")).toBe("challenge");
    expect(proxy.connections).toBe(2);
    if (name.length > 3 && name !== SUFFIX) expect(proxy.received).not.toContain(name);
    expect(proxy.received).not.toContain("password of");
    expect(rig.errors).toEqual([]);
  });
});

describe("D-UAC 1: empty passwords are refused before binding to LDAP", () => {
  test.each([dnOf("alice"), "alice", "nobody"])("whatever the name: %s", async (name) => {
    expect(await rig.authentication.authenticator.authenticate(basic(name, ""))).toMatchObject({ kind: "challenge" });
    expect(proxy.connections).toBe(0);
  });
});

describe("LDAP: a bind without name or password never counts as accepted (RFC 4513 section 5.1)", () => {
  const options = { timeoutMs: 60_000, ca: undefined, signal: new AbortController().signal };

  test("even though this server would accept it", async () => {
    const client = new ldapts.Client({ url: proxy.url, timeout: 60_000 });
    await expect(client.bind(dnOf("alice"), "")).resolves.toBeUndefined();
    await client.unbind();
  });

  test.each([
    [dnOf("alice"), ""],
    ["", "password of alice"],
    ["", ""],
  ])("for %j with %j", async (dn, password) => {
    const server = parseLdapUrl(proxy.url);
    if (typeof server === "string") throw new Error(server);
    const connection = await LdapConnection.open(ldapts, server, options);
    expect(await connection.bind(dn, password)).toBe("refused");
    connection.close();
  });
});

describe("D-UAC 12: LDAP does not disclose who exists", () => {
  test("since an unknown user costs a bind like a wrong password, and their password is not sent", async () => {
    expect(await rig.kindOf("alice", "wrong password")).toBe("challenge");
    expect(proxy.connections).toBe(1);
    expect(proxy.received).toContain("wrong password");
    proxy.forget();
    const { presented, ...nobody } = Object(await rig.login("nobody", "a password"));
    expect(presented).toMatchObject({ user: "nobody" });
    expect(await rig.login("alice", "wrong again")).toMatchObject(nobody);
    expect(proxy.connections).toBe(2);
    expect(proxy.received).not.toContain("a password");
  });
});

describe("LDAP: a login", () => {
  test("has its own connection on which the service account never binds", async () => {
    expect(await rig.kindOf("alice")).toBe("principal");
    expect(proxy.connections).toBe(1);
    expect(proxy.received).not.toContain("cn=service");
  });

  test("is remembered when it was right: the server is not asked again", async () => {
    expect(await rig.kindOf("alice")).toBe("principal");
    expect(await rig.kindOf("alice")).toBe("principal");
    expect(proxy.connections).toBe(1);
  });

  test("is slowed when it guesses, before the directory is asked", async () => {
    for (let guess = 0; guess < 6; guess++) expect(await rig.kindOf("alice", `guess ${guess}`)).toBe("challenge");
    proxy.forget();
    const login = rig.kindOf("alice");
    rig.clock.advance(99);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(proxy.connections).toBe(0);
    rig.clock.advance(1);
    expect(await login).toBe("principal");
    expect(proxy.connections).toBe(1);
  });

  test("holds a bounded number of connections at a time when it guesses", async () => {
    rig.authentication.close();
    await rig.open({ maxLoginDelayMs: 0 });
    proxy.forget();
    const guesses = Array.from({ length: 60 }, (_, index) => rig.kindOf("alice", `guess ${index}`));
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(["challenge"]));
    expect(proxy.connections).toBe(60);
    expect(proxy.atATime).toBeLessThanOrEqual(16);
  });
});

/** Passes everything on and keeps what goes to the server. */
class RecordingProxy {
  connections = 0;
  atATime = 0;
  #open = 0;
  #received = "";
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(target: number): Promise<RecordingProxy> {
    const server = createServer();
    const proxy = new RecordingProxy(server);
    server.on("connection", (socket) => {
      proxy.connections += 1;
      proxy.#open += 1;
      proxy.atATime = Math.max(proxy.atATime, proxy.#open);
      const upstream = connect(target, "127.0.0.1");
      socket.on("data", (data) => {
        proxy.#received += data.toString("latin1");
      });
      socket.pipe(upstream).pipe(socket);
      for (const end of [socket, upstream]) end.on("error", () => end.destroy());
      socket.on("close", () => {
        proxy.#open -= 1;
        upstream.destroy();
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    return `ldap://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  get received(): string {
    return this.#received;
  }

  forget(): void {
    this.connections = 0;
    this.#received = "";
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
  }
}
