import { connect, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NatsServer } from "../support/nats-server.ts";
import type { TcpProxy } from "../support/tcp-proxy.ts";
import { Events, echo, fate, PatientEngine, until } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const opened = new OpenedNats();
let server: NatsServer;
let proxy: TcpProxy;
let url: string;

beforeEach(async () => {
  server = await opened.server();
  proxy = await opened.proxy(server);
  url = `nats://127.0.0.1:${proxy.port}`;
});
afterEach(() => opened.close());

/** Breaks the gateway's way to the server. */
function cut(): void {
  proxy.refuse();
  proxy.destroyAll();
}

describe("D-ENG 2, 3: a lost connection", () => {
  test("while it is away nothing is sent, and nothing of that is sent when it is back", async () => {
    const bus = await opened.bus({ servers: server.url });
    const engine = new PatientEngine();
    await bus.listen(engine.handler);
    const events = new Events();
    const transport = await opened.connected({ servers: url, onEvent: events.onEvent });
    cut();
    await until(() => transport.state === "down", "the loss is noticed");
    expect(await fate(transport, "lost", "stop")).toBe("unavailable, not sent");
    proxy.accept();
    await until(() => transport.state === "up", "it is connected again");
    const found = fate(transport, "found", "stop");
    await engine.has("found");
    engine.answer("found");
    expect(await found).toBe("found");
    expect(engine.arrived).toEqual(["found"]);
    expect([events.of("up").length, events.of("down").length]).toEqual([2, 1]);
  });

  test("a request that was sent before the loss is answered after it, and is not sent twice", async () => {
    const bus = await opened.bus({ servers: server.url });
    const engine = new PatientEngine();
    await bus.listen(engine.handler);
    const transport = await opened.connected({ servers: url });
    const waiting = fate(transport, "r", "stop");
    await engine.has("r");
    cut();
    await until(() => transport.state === "down", "the loss is noticed");
    proxy.accept();
    await until(() => transport.state === "up", "it is connected again");
    // What has been answered tells that the server knows again where answers go.
    const probe = fate(transport, "probe");
    await engine.has("probe");
    engine.answer("probe");
    expect(await probe).toBe("probe");
    engine.answer("r");
    expect(await waiting).toBe("r");
    expect(engine.arrived).toEqual(["r", "probe"]);
  });

  test("gateway and engine find each other again after a restart of the server", async () => {
    const bus = await opened.bus({ servers: server.url });
    await bus.listen(echo);
    const transport = await opened.connected({ servers: server.url });
    expect(await fate(transport, "before")).toBe("before");
    await server.restart();
    await expect.poll(() => fate(transport, "after"), { timeout: 20_000 }).toBe("after");
  });

  test("a half-open connection is noticed", { timeout: 40_000 }, async () => {
    const transport = await opened.connected({ servers: url });
    proxy.stall(true);
    await until(() => transport.state === "down", "the loss is noticed");
  });
});

describe("issue 3, bad input: answers that are none", () => {
  let engine: NatsConnection;

  async function script(answer: (message: Msg) => void): Promise<void> {
    engine = opened.add(await connect({ servers: server.url }), (connection) => connection.close());
    engine.subscribe("trading-admin.v1.*", { callback: (_error, message) => answer(message) });
    await engine.flush();
  }

  test.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["neither result nor error", "{}"],
    ["both", '{"result":1,"error":{"code":1,"message":""}}'],
    ["a batch", "[]"],
  ])("%s costs only the request concerned: its outcome is unknown", async (_name, text) => {
    await script((message) => {
      const { context } = message.json<{ context: { requestId: string } }>();
      message.respond(context.requestId === "bad" ? text : JSON.stringify({ result: context.requestId }));
    });
    const transport = await opened.connected({ servers: url });
    const fates = await Promise.all(["one", "bad", "two"].map((id) => fate(transport, id, "stop")));
    expect(fates).toEqual(["one", "protocol, sent", "two"]);
  });

  test("a second answer, and one for no request, are reported and nothing more", async () => {
    await script((message) => {
      message.respond('{"result":"first"}');
      message.respond('{"result":"second"}');
      engine.publish(`${message.reply?.replace(/\.\d+$/, "")}.4711`, '{"result":"stranger"}');
    });
    const events = new Events();
    const transport = await opened.connected({ servers: url, onEvent: events.onEvent });
    expect(await fate(transport, "r")).toBe("first");
    await until(() => events.of("problem").length === 2, "both are reported");
    expect(events.of("problem")[1]).toContain("4711");
    expect(await fate(transport, "s")).toBe("first");
  });

  test("a message that is no request is answered with its fault, and counted as an error", async () => {
    const bus = await opened.bus({ servers: server.url });
    await bus.listen(echo);
    const client = opened.add(await connect({ servers: server.url }), (connection) => connection.close());
    const ask = (payload: string) => client.request("trading-admin.v1.haltTrading", payload);
    for (const [payload, code] of [
      ["{", -32700],
      ['{"input":{}}', -32602],
    ] as const) {
      const answer = await ask(payload);
      expect(answer.json()).toMatchObject({ error: { code } });
      expect(answer.headers?.get("Nats-Service-Error-Code")).toBe(String(code));
    }
  });
});
