import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import type { NatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { Events, fate, PatientEngine, request } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const opened = new OpenedNats();
afterEach(() => opened.close());

const PASSWORD = "hush";

/** The permissions of docs/deploy/engine-link.md, and another client of the account. */
function documented(peer: string): string {
  return `authorization { users: [
    { user: "gateway", password: "${PASSWORD}", permissions: {
        publish: ["trading-admin.v1.*", "$SRV.INFO.trading-admin-engine"], subscribe: "trading-admin.v1.inbox.>" } }
    { user: "engine", password: "${PASSWORD}", permissions: {
        subscribe: ["trading-admin.v1.*", "$SRV.>"], allow_responses: { max: 1, expires: "1h" } } }
    { user: "peer", password: "${PASSWORD}", permissions: ${peer} }
  ] }`;
}

/** What the documents say of everybody else in the account. */
const DENIED = '["trading-admin.v1.>", "$KV.trading-admin-asks.>", "audit.*", "$JS.>"]';
const KEPT_OUT = `{ publish: { deny: ${DENIED} }, subscribe: { deny: ${DENIED} } }`;
/** A client that hears everything and replies to whom it likes, but may not command the engine. */
const RESPONDER = '{ publish: "_INBOX.>", subscribe: ">" }';

function login(server: NatsServer, user: string) {
  return { servers: server.url, user, password: PASSWORD };
}

/** An engine that says so after the peer could have spoken, and a gateway. */
async function bench(configuration: string) {
  const server = await opened.server({ configuration });
  const engine = new PatientEngine();
  const bus = await opened.bus(login(server, "engine"));
  await bus.listen(engine.handler);
  const events = new Events();
  const transport = await opened.connected({ ...login(server, "gateway"), onEvent: events.onEvent });
  const options = { servers: server.url, user: "peer", pass: PASSWORD };
  const peer = opened.add(await connect(options), (connection) => connection.close());
  return { engine, transport, events, peer };
}

/** Has a peer reply to every request that it hears, and to the inboxes of the gateways that it has heard of. */
async function forge(peer: NatsConnection): Promise<string[]> {
  const heard: string[] = [];
  const forged = JSON.stringify({ now: Date.now(), error: { code: -32001, message: "not possible now" } });
  peer.subscribe("trading-admin.v1.>", {
    callback: (error, message) => {
      if (error) return;
      heard.push(message.subject);
      if (message.reply) peer.publish(message.reply, forged);
    },
  });
  await peer.flush();
  return heard;
}

describe("D-LINK 23: with the documented permissions nobody replies in the engine's place", () => {
  test.each([
    ["that is kept out of the subjects", KEPT_OUT, 0],
    ["that hears every subject and may publish to inboxes", RESPONDER, 6],
  ])("not a peer %s: none of six halts is lied about", async (_which, permissions, hears) => {
    const { engine, transport, events, peer } = await bench(documented(permissions));
    const heard = await forge(peer);
    for (const id of ["1", "2", "3", "4", "5", "6"]) {
      const halt = fate(transport, id, "stop");
      await engine.has(id);
      await peer.flush();
      engine.answer(id);
      expect(await halt).toBe(id);
    }
    expect(heard.filter((subject) => subject.endsWith("haltTrading"))).toHaveLength(hears);
    expect(events.of("problem")).toEqual([]);
  });

  test("and the engine's end needs no inbox: it may respond, and publish nothing else", async () => {
    const server = await opened.server({ configuration: documented(KEPT_OUT) });
    const options = { servers: server.url, user: "engine", pass: PASSWORD };
    const engine = opened.add(await connect(options), (connection) => connection.close());
    const denied: string[] = [];
    void (async () => {
      for await (const status of engine.status()) if (status.type === "error") denied.push(status.error.message);
    })();
    engine.publish("trading-admin.v1.haltTrading", "{}");
    await until(() => denied.length > 0, "the server refuses it");
    expect(denied[0]).toMatch(/Permissions Violation for Publish/i);
  });
});

/** Has the server publish what the client may not: each message of another stream, as a command. */
async function commandByStream(peer: NatsConnection): Promise<void> {
  const { streams } = await jetstreamManager(peer, { timeout: 2_000 });
  const republish = { src: "own", dest: "trading-admin.v1.resumeTrading" };
  await streams.add({ name: "own", subjects: ["own"], storage: StorageType.Memory, republish });
  peer.publish("own", "{}");
  await peer.flush();
}

/** The configuration of docs/deploy/engine-link.md. */
function ofThePage(): string {
  const page = readFileSync(join(import.meta.dirname, "../../docs/deploy/engine-link.md"), "utf8");
  const [, block = ""] = /```\n(accounts \{.*?)```/s.exec(page) ?? [];
  return block.replaceAll(/\$(GATEWAY|ENGINE|MONITOR)/g, PASSWORD);
}

describe("D-LINK 25: JetStream, which publishes what a client may not, does not reach the engine", () => {
  const WITH_JETSTREAM = '{ publish: { deny: "trading-admin.v1.>" }, subscribe: { deny: "trading-admin.v1.>" } }';
  const elsewhere = ofThePage().replace("others {", "others { jetstream: enabled,");

  test.each([
    ["from another account, as on the page", "monitor", elsewhere, false],
    ["from the same account without the API of JetStream", "peer", documented(KEPT_OUT), false],
    ["unlike from the same account with it", "peer", documented(WITH_JETSTREAM), true],
  ])("%s", async (_where, user, configuration, arrives) => {
    const folder = mkdtempSync(join(tmpdir(), "jetstream-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const server = await opened.server({ configuration: `jetstream { store_dir: "${folder}" }\n${configuration}` });
    const login = (name: string) => ({ servers: server.url, user: name, pass: PASSWORD });
    const engine = opened.add(await connect(login("engine")), (connection) => connection.close());
    const peer = opened.add(await connect(login(user)), (connection) => connection.close());
    const heard: string[] = [];
    engine.subscribe("trading-admin.v1.*", { callback: (_error, { subject }) => void heard.push(subject) });
    await engine.flush();
    await commandByStream(peer).catch((error: Error) => expect(error.message).toMatch(/permission|timeout/i));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(heard).toEqual(arrives ? ["trading-admin.v1.resumeTrading"] : []);
  });
});

describe("D-LINK 24: where a peer can reply in the engine's place, the engine's own reply shows it", () => {
  test("as the second one contradicts the first", async () => {
    const { engine, transport, peer } = await bench(documented('{ publish: ">", subscribe: ">" }'));
    await forge(peer);
    const exchange = transport.exchange(request("halt", "stop"));
    const others: EngineReply[] = [];
    exchange.contradicted?.((other) => others.push(other));
    expect(await exchange.reply).toMatchObject({ ok: false, refusal: "rejected" });
    await engine.has("halt");
    engine.answer("halt");
    await until(() => others.length > 0, "the contradiction is told");
    expect(others).toEqual([{ ok: true, result: "halt" }]);
  });
});

describe("D-LINK 21: a peer that floods the inbox of a gateway", () => {
  test("is reported 20 times a minute, costs the connection in the end, and no halt meanwhile", async () => {
    const { engine, transport, events, peer } = await bench(documented('{ publish: ">", subscribe: ">" }'));
    const inboxes: string[] = [];
    peer.subscribe("trading-admin.v1.*", { callback: (_error, { reply = "" }) => void inboxes.push(reply) });
    await peer.flush();
    const halt = fate(transport, "halt", "stop");
    await engine.has("halt");
    await until(() => inboxes.length > 0, "the peer has heard of the inbox");
    const unknown = inboxes[0]?.replace(/[^.]*$/, "nobody") ?? "";
    const flood = async (): Promise<void> => {
      for (let index = 0; index < 5_000; index += 1) peer.publish(unknown);
      await peer.flush();
    };
    for (let burst = 0; burst < 30; burst += 1) await flood();
    engine.answer("halt");
    expect(await halt).toBe("halt");
    for (let burst = 0; burst < 400 && events.of("down").length === 0; burst += 1) await flood();
    expect(events.of("down")[0]).toContain("floods the gateway's inbox");
    await until(() => transport.state === "up", "the link is back");
    expect(events.of("problem")).toHaveLength(20);
  });
});
