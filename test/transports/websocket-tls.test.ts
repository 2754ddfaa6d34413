import { connect } from "node:net";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { openWebSocketBus } from "../../transports/websocket.ts";
import { until } from "../support/until.ts";
import { type Certificates, makeCertificates } from "./support/certificates.ts";
import { Events, echo, fate, turn } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

let certificates: Certificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});

describe("wss with CA and client certificate", () => {
  test("trusts an engine whose certificate the CA has issued; nothing is readable on the way", async () => {
    const bus = await opened.bus({ tls: certificates.engine });
    bus.listen(echo);
    expect(bus.url).toMatch(/^wss:\/\/127\.0\.0\.1:\d+$/);
    const transport = await opened.connected({ url: bus.url, tls: { ca: certificates.ca } });
    const ids = Array.from({ length: 500 }, (_, index) => `r-${index}`);
    expect(await Promise.all(ids.map((id) => fate(transport, id)))).toEqual(ids);
  });

  test("carries pings and keeps an idle link up, seen from either end", async () => {
    const clock = new ManualClock();
    const events = new Events();
    const { onEvent } = events;
    const bus = await opened.bus({ tls: certificates.engine, clock, onEvent });
    await opened.connected({ url: bus.url, tls: { ca: certificates.ca }, clock, onEvent });
    for (let beat = 1; beat <= 4; beat += 1) {
      clock.advance(4_000);
      for (let turns = 0; turns < 50; turns += 1) await turn();
    }
    expect(events.of("down")).toEqual([]);
  });

  test("does not trust an engine that the CA does not know, with or without a private CA", async () => {
    const bus = await opened.bus({ tls: certificates.stranger });
    for (const tls of [{ ca: certificates.ca }, undefined]) {
      const events = new Events();
      const transport = await opened.transport({ url: bus.url, tls, onEvent: events.onEvent });
      await until(() => events.of("down").length > 0, "the connection fails");
      expect(events.of("down")[0]).toMatch(/certificate/);
      expect(transport.state).toBe("down");
      expect(await fate(transport, "r-1", "stop")).toBe("unavailable, not sent");
    }
  });

  test("does not trust an engine under another name than its certificate's", async () => {
    const bus = await opened.bus({ tls: certificates.engine });
    const events = new Events();
    const url = bus.url.replace("127.0.0.1", "localhost");
    await opened.transport({ url, tls: { ca: certificates.ca }, onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "the connection fails");
    expect(events.of("down")[0]).toMatch(/altnames/);
  });

  test("lets in clients of the CA where the engine asks for certificates, and no others", async () => {
    const { ca, engine, gateway, stranger } = certificates;
    const told = new Events();
    const bus = await opened.bus({ tls: { ...engine, ca }, onEvent: told.onEvent });
    bus.listen(echo);
    const known = await opened.connected({ url: bus.url, tls: { ca, ...gateway } });
    expect(await fate(known, "r-1")).toBe("r-1");
    for (const own of [{}, stranger]) {
      const events = new Events();
      const refused = await opened.transport({ url: bus.url, tls: { ca, ...own }, onEvent: events.onEvent });
      await until(() => events.of("down").length > 0, "the connection fails");
      expect(refused.state).toBe("down");
      expect(events.of("up")).toEqual([]);
    }
    expect(told.of("up")).toHaveLength(1);
    await until(() => told.of("problem").length > 0, "the engine's host is told");
    expect(told.of("problem")[0]).toMatch(/^TLS handshake with .* failed: /);
  });

  test("requires a token besides the certificate", async () => {
    const { ca, engine, gateway } = certificates;
    const bus = await opened.bus({ tls: { ...engine, ca }, token: "s3cret" });
    const events = new Events();
    await opened.transport({ url: bus.url, tls: { ca, ...gateway }, onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "the connection fails");
    expect(events.of("down")[0]).toContain("401");
    await opened.connected({ url: bus.url, token: "s3cret", tls: { ca, ...gateway } });
  });

  test("reports material that cannot be read when the bus is opened", async () => {
    const tls = { cert: "no certificate", key: "no key" };
    await expect(openWebSocketBus({ host: "127.0.0.1", port: 0, tls })).rejects.toThrow("cannot listen on wss://");
    const authority = { ...certificates.engine, ca: "nobody" };
    const opening = openWebSocketBus({ host: "127.0.0.1", port: 0, tls: authority });
    await expect(opening).rejects.toThrow("no PEM certificate");
  });

  test("closes the bus although a client never begins the handshake", async () => {
    const bus = await opened.bus({ tls: certificates.engine });
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(bus.url).port) });
    socket.on("error", () => {});
    await until(() => socket.readyState === "open", "it has connected");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await bus.close();
    await until(() => socket.closed, "it is cut");
  });
});
