import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CONTRACT_VERSION } from "../../transports/json-rpc/contract.ts";
import { NatsTransport, type NatsTransportOptions, openNatsBus } from "../../transports/nats.ts";
import { makeOperator } from "../support/nats-credentials.ts";
import { until } from "../support/until.ts";
import { type Certificates, makeCertificates } from "./support/certificates.ts";
import { Events, echo, fate } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const opened = new OpenedNats();
afterEach(() => opened.close());

describe("credentials of the NATS link", () => {
  test.each([
    ["a token", 'authorization { token: "t0ken" }', { token: "t0ken" }, { token: "wrong" }],
    [
      "user and password",
      'authorization { user: "gw", password: "hush" }',
      { user: "gw", password: "hush" },
      { user: "gw", password: "wrong" },
    ],
  ])(
    "connect if they are right, and are refused and named nowhere if they are wrong: %s",
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

  test("are refused by the constructor if no server could accept them, without a secret in the message", () => {
    const refusal = (options: Partial<NatsTransportOptions>): string => {
      try {
        new NatsTransport({ servers: "nats://127.0.0.1:4222", ...options });
      } catch (error) {
        return String(error);
      }
      throw new Error("it was taken");
    };
    const all: readonly (readonly [Partial<NatsTransportOptions>, RegExp])[] = [
      [{ credentials: "hush" }, /^TypeError: .*\.creds/],
      [{ user: "hush" }, /belong together/],
      [{ password: "hush" }, /belong together/],
      [{ token: "hush", user: "gw", password: "hush" }, /more than one way/],
      [{ token: "" }, /empty/],
      [{ servers: [] }, /At least one/],
      [{ servers: "hush" }, /must be one such as/],
      [{ servers: "nats://gw:hush@127.0.0.1" }, /no credentials/],
      [{ servers: "ws://127.0.0.1" }, /begin with nats:/],
      [{ servers: "nats://127.0.0.1/hush" }, /nothing more/],
      [{ subjectPrefix: "hush.>" }, /prefix/],
      [{ subjectPrefix: "" }, /prefix/],
      [{ tls: { cert: "hush" } }, /belong together/],
      [{ tls: { ca: "hush" } }, /TLS material/],
      [{ tls: { cert: "hush", key: "hush" } }, /TLS material/],
    ];
    for (const [options, reason] of all) {
      expect(refusal(options)).toMatch(reason);
      expect(refusal(options)).not.toContain("hush");
    }
  });

  test("that may not publish are reported immediately: only what surely did not pass was not sent", async () => {
    const configuration = `authorization { users: [
      { user: "gw", password: "hush", permissions: { publish: "other", subscribe: "trading-admin.v1.inbox.>" } }
    ] }`;
    const server = await opened.server({ configuration });
    const events = new Events();
    const mute = await opened.connected({ servers: server.url, user: "gw", password: "hush", onEvent: events.onEvent });
    expect(await fate(mute, "r", "stop")).toBe("unavailable, not sent");
    expect(events.of("problem").join()).toMatch(/Permissions Violation/i);
    // The server does not say which of them it refused.
    const fates = await Promise.all(["a", "b"].map((id) => fate(mute, id, "stop")));
    expect(fates).toEqual(["unavailable, sent", "unavailable, not sent"]);
  });

  test("that may not subscribe are no use: the gateway's end is down, the engine's does not listen", async () => {
    const configuration = `authorization { users: [
      { user: "deaf", password: "hush", permissions: { publish: ">", subscribe: "other" } }
    ] }`;
    const server = await opened.server({ configuration });
    const login = { servers: server.url, user: "deaf", password: "hush" };
    const events = new Events();
    const deaf = await opened.transport({ ...login, onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "it is told that it may not have answers");
    expect(events.of("down")[0]).toMatch(/Permissions Violation for Subscription to "trading-admin.v1.inbox/);
    expect(events.of("up")).toEqual([]);
    expect(await fate(deaf, "r", "stop")).toBe("unavailable, not sent");
    const bus = await opened.bus(login);
    await expect(bus.listen(echo)).rejects.toThrow(/Permissions Violation for Subscription to "trading-admin/);
  });

  test("that lose permissions while the link is up end it, with the reason", async () => {
    const users = (subscribe: string): string =>
      `authorization { users: [ { user: "gw", password: "hush", permissions: { publish: ">", subscribe: "${subscribe}" } } ] }`;
    const server = await opened.server({ configuration: users("trading-admin.v1.inbox.>") });
    const events = new Events();
    const login = { servers: server.url, user: "gw", password: "hush" };
    const transport = await opened.connected({ ...login, onEvent: events.onEvent });
    await server.reload(users("other"));
    await until(() => transport.state === "down", "the link is down");
    await until(() => events.of("down").join().includes("Permissions Violation"), "the reason is told");
    await server.reload(users("trading-admin.v1.inbox.>"));
    await until(() => transport.state === "up", "the link is up again");
  });

  test("of an account connect, those of another operator are refused", async () => {
    const { configuration, credentials } = makeOperator();
    const server = await opened.server({ configuration });
    const bus = await opened.bus({ servers: server.url, credentials });
    await bus.listen(echo);
    expect(await fate(await opened.connected({ servers: server.url, credentials }), "r")).toBe("r");
    const stranger = openNatsBus({ servers: server.url, credentials: makeOperator().credentials });
    await expect(stranger).rejects.toThrow(/refused the login/);
  });
});

describe("TLS of the NATS link", () => {
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

  test("admits a client certificate of the authority, and no others", async () => {
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

  test("ends the connection when plain text stands behind the greeting of the server (D-AUTH 14)", async () => {
    const server = await opened.server({ configuration });
    const { ca, gateway } = certificates;
    for (const injected of ["+OK\r\n", "P", "HMSG trading-admin.v1.haltTrading 1 reply 4000 5000\r\nNATS/1.0\r\nA: "]) {
      const middleman = opened.add(await startGreetingProxy(server.port, injected), (proxy) => proxy.close());
      const events = new Events();
      const servers = `tls://127.0.0.1:${middleman.port}`;
      const transport = await opened.transport({ servers, tls: { ca, ...gateway }, onEvent: events.onEvent });
      await until(() => events.of("down").length > 0, "the refusal is reported");
      expect(events.of("down")[0]).toContain(`followed by ${injected.length} bytes in plain text`);
      middleman.stop();
      await until(() => transport.state === "up", "it connects when nothing is added");
    }
  });

  test("is required by tls://", async () => {
    const server = await opened.server();
    const events = new Events();
    const transport = await opened.transport({ servers: server.url.replace("nats:", "tls:"), onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "the refusal is reported");
    expect(transport.state).toBe("down");
  });
});

describe("D-LINK 11: the engine is a NATS micro service (ADR-32)", () => {
  test("with PING, INFO and STATS", async () => {
    const server = await opened.server();
    const bus = await opened.bus({ servers: server.url });
    await bus.listen(async ({ context }) =>
      context.requestId === "good" ? { ok: true, result: null } : { ok: false, refusal: "rejected", message: "no" },
    );
    const transport = await opened.connected({ servers: server.url });
    for (const id of ["good", "bad", "good"]) await fate(transport, id, "stop");
    const client = opened.add(await connect({ servers: server.url }), (connection) => connection.close());
    const ask = async (subject: string) => (await client.request(subject)).json<Record<string, unknown>>();

    const ping = await ask("$SRV.PING");
    const identity = { name: "trading-admin-engine", version: CONTRACT_VERSION, id: expect.any(String), metadata: {} };
    expect(ping).toEqual({ type: "io.nats.micro.v1.ping_response", ...identity });
    const info = await ask("$SRV.INFO.trading-admin-engine");
    expect(info).toMatchObject({
      type: "io.nats.micro.v1.info_response",
      id: ping.id,
      description: expect.any(String),
    });
    // The operations and the two optional reads.
    expect(info.endpoints).toHaveLength(20);
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

/** A man in the middle who adds text to the greeting of the server until he is told to stop, and hands on everything else. */
async function startGreetingProxy(targetPort: number, injected: string) {
  const sockets = new Set<Socket>();
  let injects = true;
  const server = createServer((client) => {
    const target = connectTcp(targetPort, "127.0.0.1");
    for (const socket of [client, target]) sockets.add(socket);
    client.on("error", () => target.destroy()).on("close", () => target.destroy());
    target.on("error", () => client.destroy()).on("close", () => client.destroy());
    target.once("data", (greeting: Buffer) => {
      client.write(injects ? Buffer.concat([greeting, Buffer.from(injected)]) : greeting);
      target.pipe(client);
      client.pipe(target);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      injects = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
