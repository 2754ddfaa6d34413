import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NatsServer } from "../support/nats-server.ts";
import type { TcpProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/until.ts";
import { answered, Events, echo, fate, PatientEngine } from "./support/link.ts";
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

describe("D-ENG 2, D-ENG 3, D-LINK 1: a lost NATS connection", () => {
  test("sends nothing while it is away, and nothing of that when it is back", async () => {
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

  test("still brings the reply to a request that was sent before, and does not send it twice", async () => {
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
    engine.answer("r");
    expect(await waiting).toBe("r");
    expect(engine.arrived).toEqual(["r"]);
  });

  test("is found again by gateway and engine after a restart of the server", async () => {
    const bus = await opened.bus({ servers: server.url });
    await bus.listen(echo);
    const transport = await opened.connected({ servers: server.url });
    expect(await fate(transport, "before")).toBe("before");
    await server.restart();
    await answered(transport, "after");
  });

  test("D-LINK 6: is noticed if it is half-open", async () => {
    const transport = await opened.connected({ servers: url });
    proxy.stall(true);
    await until(() => transport.state === "down", "the loss is noticed");
  });
});
