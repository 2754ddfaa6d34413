import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { type Certificates, makeCertificates } from "./support/certificates.ts";
import { Events, echo, fate, until } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const opened = new OpenedNats();
afterEach(() => opened.close());

describe("issue 3: credentials", () => {
  test.each([
    ["a token", 'authorization { token: "t0ken" }', { token: "t0ken" }, { token: "wrong" }],
    [
      "user and password",
      'authorization { user: "gw", password: "hush" }',
      { user: "gw", password: "hush" },
      { user: "gw", password: "wrong" },
    ],
  ])(
    "%s: the right ones connect, wrong ones are refused and named nowhere",
    async (_name, configuration, right, wrong) => {
      const server = await opened.server({ configuration });
      const bus = await opened.bus({ servers: server.url, ...right });
      await bus.listen(echo);
      const transport = await opened.connected({ servers: server.url, ...right });
      expect(await fate(transport, "r")).toBe("r");

      const events = new Events();
      const refused = await opened.transport({ servers: server.url, ...wrong, onEvent: events.onEvent });
      await until(() => events.of("down").length > 0, "the refusal is reported");
      expect(events.of("down")[0]).toMatch(/Authorization/i);
      expect(JSON.stringify(events.all)).not.toContain("wrong");
      expect(await fate(refused, "s")).toBe("unavailable, not sent");
      await expect(openNatsBus({ servers: server.url, ...wrong })).rejects.toThrow(
        /^No connection to NATS .*Authorization/i,
      );
    },
  );

  test("credentials that are none are refused by the constructor", () => {
    expect(() => new NatsTransport({ servers: "nats://127.0.0.1:4222", credentials: "no creds" })).toThrow();
  });

  test("a gateway that may not publish learns it, and the command's outcome is not claimed", async () => {
    const configuration = `authorization { users: [
      { user: "gw", password: "hush", permissions: { publish: "other", subscribe: "_INBOX.>" } }
      { user: "deaf", password: "hush", permissions: { publish: ">", subscribe: "other" } }
    ] }`;
    const server = await opened.server({ configuration });
    const events = new Events();
    const mute = await opened.connected({ servers: server.url, user: "gw", password: "hush", onEvent: events.onEvent });
    expect(await fate(mute, "r", "stop")).toBe("unavailable, sent");
    expect(events.of("problem").join()).toMatch(/Permissions Violation/i);

    const deafEvents = new Events();
    const options = { servers: server.url, user: "deaf", password: "hush", onEvent: deafEvents.onEvent };
    const deaf = await opened.transport(options);
    await until(() => deafEvents.of("down").length > 0, "it is told that it may not have answers");
    expect(await fate(deaf, "r", "stop")).toBe("unavailable, not sent");
  });
});

describe("issue 3: TLS", () => {
  let certificates: Certificates;
  let folder: string;
  let configuration: string;

  beforeAll(async () => {
    certificates = await makeCertificates();
    folder = await mkdtemp(join(tmpdir(), "trading-admin-nats-tls-"));
    const { ca, engine } = certificates;
    for (const [name, text] of Object.entries({ "ca.pem": ca, "server.pem": engine.cert, "server.key": engine.key })) {
      await writeFile(join(folder, name), text);
    }
    const [cert, key, authorities] = ["server.pem", "server.key", "ca.pem"].map((name) => join(folder, name));
    configuration = `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${authorities}", verify: true }`;
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("a client certificate of the authority connects, others do not", { timeout: 60_000 }, async () => {
    const server = await opened.server({ configuration });
    const { ca, gateway, stranger } = certificates;
    const servers = server.url.replace("nats://", "tls://");
    const bus = await opened.bus({ servers, tls: { ca, ...gateway } });
    await bus.listen(echo);
    const transport = await opened.connected({ servers, tls: { ca, ...gateway } });
    expect(await fate(transport, "r")).toBe("r");
    for (const tls of [{ ca, ...stranger }, { ca }, { ...gateway }]) {
      const events = new Events();
      const refused = await opened.transport({ servers, tls, onEvent: events.onEvent });
      await until(() => events.of("down").length > 0, "the refusal is reported");
      expect(refused.state).toBe("down");
    }
  });

  test("tls:// insists on TLS", async () => {
    const server = await opened.server();
    const events = new Events();
    const transport = await opened.transport({ servers: server.url.replace("nats:", "tls:"), onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "the refusal is reported");
    expect(transport.state).toBe("down");
  });
});

describe("issue 3: the engine is a NATS micro service (ADR-32)", () => {
  test("PING, INFO and STATS are answered", async () => {
    const server = await opened.server();
    const bus = await opened.bus({ servers: server.url });
    await bus.listen(({ context }) =>
      context.requestId === "good" ? { ok: true, result: null } : { ok: false, refusal: "rejected", message: "no" },
    );
    const transport = await opened.connected({ servers: server.url });
    for (const id of ["good", "bad", "good"]) await fate(transport, id, "stop");
    const client = opened.add(await connect({ servers: server.url }), (connection) => connection.close());
    const ask = async (subject: string) => (await client.request(subject)).json<Record<string, unknown>>();

    const ping = await ask("$SRV.PING");
    const identity = { name: "trading-admin-engine", version: "1.0.0", id: expect.any(String), metadata: {} };
    expect(ping).toEqual({ type: "io.nats.micro.v1.ping_response", ...identity });
    const info = await ask("$SRV.INFO.trading-admin-engine");
    expect(info).toMatchObject({
      type: "io.nats.micro.v1.info_response",
      id: ping.id,
      description: expect.any(String),
    });
    expect(info.endpoints).toHaveLength(18);
    const stats = await ask(`$SRV.STATS.trading-admin-engine.${String(ping.id)}`);
    expect(stats.type).toBe("io.nats.micro.v1.stats_response");
    expect(stats.endpoints).toContainEqual({
      name: "haltTrading",
      subject: "trading-admin.v1.haltTrading",
      queue_group: "trading-admin-engine",
      num_requests: 3,
      num_errors: 1,
      last_error: "-32001:no",
      processing_time: expect.any(Number),
      average_processing_time: expect.any(Number),
    });
  });
});
