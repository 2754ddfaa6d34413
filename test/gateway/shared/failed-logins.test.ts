import { hash } from "node:crypto";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DirectoryAuthenticator } from "../../../src/auth/basic.ts";
import { keptLog } from "../../../src/core/logger.ts";
import { SharedFailedLogins } from "../../../src/gateway/shared/failed-logins.ts";
import { SharedNats } from "../../../src/gateway/shared/shared-nats.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { basic } from "../../auth/access-files.ts";
import { type NatsServer, startNatsServer } from "../../support/nats-server.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { until } from "../../support/until.ts";
import { InstallationFolder } from "../folder.ts";

const SUBJECT = "trading-admin.v1.failed-login";
const HERE = { address: "192.0.2.1" };
const ELSEWHERE = { address: "198.51.100.1" };
const ALICE = hash("sha256", "alice", "base64url");

let nats: NatsServer;
/** Somebody else who may speak on the subject. */
let other: NatsConnection;
const gateways: Gateway[] = [];

beforeAll(async () => {
  nats = await startNatsServer();
  other = await connect({ servers: nats.url });
});

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.shared.close();
});

afterAll(async () => {
  await other.close();
  await nats.stop();
});

/** The logins of one gateway; everybody's password is `right`. */
class Gateway {
  readonly clock = new ManualClock();
  readonly log = keptLog();
  readonly shared: SharedNats;
  readonly #authenticator: DirectoryAuthenticator;
  #guesses = 0;
  #heard = 0;

  constructor(url: string, name: string) {
    this.shared = new SharedNats({ servers: url }, () => {});
    const guesses = new SharedFailedLogins(this.shared, name, this.clock, this.log.log);
    const verify = async (user: string, password: string) =>
      password === "right" ? { name: user, permissions: new Set<never>() } : undefined;
    const counted = {
      tell: guesses.tell.bind(guesses),
      listen: (heard: Parameters<SharedFailedLogins["listen"]>[0]) =>
        guesses.listen((guess) => {
          this.#heard += 1;
          heard(guess);
        }),
    };
    this.#authenticator = new DirectoryAuthenticator({ verify }, this.clock, { sharedFailures: counted });
    gateways.push(this);
  }

  async open(): Promise<this> {
    this.shared.start();
    await until(() => this.shared.connection, "the gateway is connected");
    return this;
  }

  async guess(times: number, name: string, caller = HERE): Promise<void> {
    for (let i = 0; i < times; i++) {
      this.#guesses += 1;
      const failing = this.#authenticator.authenticate(basic(name, `guess ${this.#guesses}`), caller);
      this.clock.advance(5_000);
      await failing;
    }
    await this.shared.connection?.flush();
  }

  heard(times: number): Promise<unknown> {
    return until(
      () => this.#heard >= times,
      () => `${times} guesses are heard, ${this.#heard} were`,
    );
  }

  get heardSoFar(): number {
    return this.#heard;
  }

  /** What becomes of a login without time passing. */
  async login(name: string, password = "right", caller = HERE): Promise<string> {
    const pending = Promise.resolve(this.#authenticator.authenticate(basic(name, password), caller));
    const later = new Promise<string>((resolve) => setImmediate(() => setImmediate(() => resolve("waits"))));
    return Promise.race([pending.then(({ kind }) => kind), later]);
  }
}

async function pair(): Promise<[Gateway, Gateway]> {
  return [await new Gateway(nats.url, "A").open(), await new Gateway(nats.url, "B").open()];
}

describe("D-SHARE 5: failed logins at one gateway slow those at the others", () => {
  it("of that user from that address, and nobody else", async () => {
    const [a, b] = await pair();
    await a.guess(8, "Alice");
    await b.heard(8);
    expect(await b.login("alice")).toBe("waits");
    expect(await b.login("alice", "right", ELSEWHERE)).toBe("principal");
    expect(await b.login("bob")).toBe("principal");
  });

  it("and no credentials that were right before", async () => {
    const [a, b] = await pair();
    expect(await b.login("alice")).toBe("principal");
    await a.guess(30, "alice");
    await b.heard(30);
    expect(await b.login("alice")).toBe("principal");
  });

  it("once for each wrong password: a script that repeats an old one is reported once, and own messages do not count again", async () => {
    const [a, b] = await pair();
    for (let i = 0; i < 4; i++) expect(await a.login("alice", "old password")).toBe("challenge");
    await a.guess(1, "bob");
    await b.heard(2);
    expect([a.heardSoFar, b.heardSoFar]).toEqual([0, 2]);
  });

  it("without any name of a user in a message", async () => {
    const messages: string[] = [];
    const subscription = other.subscribe(SUBJECT, { callback: (_, message) => void messages.push(message.string()) });
    await other.flush();
    const [a] = await pair();
    await a.guess(1, "Alice");
    await until(() => messages.length >= 1, "the message is there");
    expect(JSON.parse(messages[0] ?? "")).toEqual({
      user: ALICE,
      origin: "192.0.2.1",
      gateway: "A",
      sender: expect.any(String),
    });
    subscription.unsubscribe();
  });

  it.each([
    ["no JSON", "{"],
    ["not an object", '["x"]'],
    ["null", "null"],
    ["without a sender", JSON.stringify({ user: ALICE, origin: "", gateway: "X" })],
    ["with a name for a hash", JSON.stringify({ user: "alice", origin: "", gateway: "X", sender: "x" })],
    ["with a long address", JSON.stringify({ user: ALICE, origin: "1".repeat(65), gateway: "X", sender: "x" })],
    ["longer than any", JSON.stringify({ user: ALICE, origin: "", gateway: "X".repeat(1_024), sender: "x" })],
  ])("though not by a message that no gateway sends: %s", async (_, text) => {
    const [, b] = await pair();
    other.publish(SUBJECT, text);
    other.publish(SUBJECT, JSON.stringify({ user: ALICE, origin: "192.0.2.1", gateway: "X", sender: "x" }));
    await b.heard(1);
    expect(b.heardSoFar).toBe(1);
  });

  it("no more than 500 in a second, whoever sends them; a forged one delays a login as a guess does, and refuses none", async () => {
    const [, b] = await pair();
    const forged = JSON.stringify({ user: ALICE, origin: "192.0.2.1", gateway: "X", sender: "x" });
    for (let i = 0; i < 2_000; i++) other.publish(SUBJECT, forged);
    await other.flush();
    await b.heard(500);
    await b.shared.connection?.flush();
    expect(b.heardSoFar).toBe(500);
    b.clock.advance(1_000);
    other.publish(SUBJECT, forged);
    await b.heard(501);
    expect(await b.login("alice")).toBe("waits");
    b.clock.advance(5_000);
    expect(await b.login("alice")).toBe("principal");
  });
});

describe("D-SHARE 6: a gateway", () => {
  it("tells of failed logins where admin.shared.nats is given, and starts where its servers are unreachable", async () => {
    const folder = new InstallationFolder();
    const messages: string[] = [];
    const subscription = other.subscribe(SUBJECT, { callback: (_, message) => void messages.push(message.string()) });
    await other.flush();
    try {
      const yaml = `admin.gateway.name: north\nadmin.shared.nats.url: nats://127.0.0.1:1,${nats.url}`;
      const gateway = await folder.start(yaml);
      await until(
        () => folder.logText().includes("Shared by gateways: connected to the NATS server"),
        "it is connected",
      );
      const path = "/api/admin/v1/trading/status";
      expect((await sendRaw(gateway.url, { path, authorization: basic("chief", "wrong") })).status).toBe(401);
      await until(() => messages.length >= 1, "the message is there");
      expect(JSON.parse(messages[0] ?? "")).toMatchObject({
        gateway: "north",
        user: hash("sha256", "chief", "base64url"),
      });

      const alone = await folder.start("admin.shared.nats.url: nats://127.0.0.1:1");
      expect((await sendRaw(alone.url, { path, authorization: basic("chief", "wrong") })).status).toBe(401);
    } finally {
      subscription.unsubscribe();
      await folder.close();
    }
  });
});
