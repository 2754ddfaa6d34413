import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { openScriptedEngine, RawGateway, refusal } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

const PROTOCOL = "trading-admin.v1";
const BROKEN_CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const TOKEN = "s3cret-token";

describe("the bearer token on the WebSocket upgrade", () => {
  test.each([
    ["no token", {}],
    ["another token", { authorization: "Bearer s3cret-tokem" }],
    ["the beginning of the token", { authorization: "Bearer s3cret" }],
    ["more than the token", { authorization: `Bearer ${TOKEN}x` }],
    ["an empty token", { authorization: "Bearer " }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
    ["the bare token", { authorization: TOKEN }],
  ])("is refused with 401: %s", async (_name, headers) => {
    const events = new Events();
    const bus = await opened.bus({ token: TOKEN, onEvent: events.onEvent });
    expect(await refusal(bus.url, [PROTOCOL], headers)).toMatch(/^401: /);
    expect(events.of("problem")[0]).toContain("401");
    expect(JSON.stringify(events.all)).not.toContain("s3cret");
  });

  test("is accepted if it is right, whatever the case of the scheme", async () => {
    const bus = await opened.bus({ token: TOKEN });
    expect(await refusal(bus.url, [PROTOCOL], { authorization: `Bearer ${TOKEN}` })).toBe("accepted");
    expect(await refusal(bus.url, [PROTOCOL], { authorization: `bearer ${TOKEN}` })).toBe("accepted");
    bus.listen(echo);
    const transport = await opened.connected({ url: bus.url, token: TOKEN });
    expect(await fate(transport, "r-1")).toBe("r-1");
  });

  test("is named as the reason to a gateway with a wrong one, which logs that without the token, and retries", async () => {
    let bus = await opened.bus({ token: "another" });
    const port = Number(new URL(bus.url).port);
    const events = new Events();
    const transport = await opened.transport({ url: bus.url, token: TOKEN, onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "the refusal is told");
    expect(events.of("down")).toEqual([
      `No connection to the engine at ${bus.url}: it refused the connection: 401 Unauthorized; check the token`,
    ]);
    await bus.close();
    bus = await opened.bus({ port, token: TOKEN });
    await until(() => transport.state === "up", "the link is up");
    expect(JSON.stringify(events.all)).not.toContain(TOKEN);
  });

  test("is ignored by an engine without one", async () => {
    const bus = await opened.bus();
    await opened.connected({ url: bus.url, token: TOKEN });
  });
});

describe("bus contract: both ends insist on the subprotocol", () => {
  test.each([
    ["none", []],
    ["another", ["trading-admin.v2"]],
    ["another case", ["Trading-Admin.v1"]],
  ])("or refuse with 400: %s", async (_name, protocols) => {
    const bus = await opened.bus();
    expect(await refusal(bus.url, protocols, {})).toBe(`400: The subprotocol must be ${PROTOCOL}`);
  });

  test("among several", async () => {
    const bus = await opened.bus();
    expect(await refusal(bus.url, ["other", PROTOCOL], {})).toBe("accepted");
  });

  test.each([
    ["none", false],
    ["another", "other"],
  ] as const)("and a gateway refuses an engine that speaks %s", async (_name, subprotocol) => {
    const engine = opened.add(await openScriptedEngine({ subprotocol }), (it) => it.close());
    const events = new Events();
    const transport = await opened.transport({ url: engine.url, onEvent: events.onEvent });
    await until(() => engine.connections >= 3, "it tries again");
    expect(transport.state).toBe("down");
    expect(events.of("down")[0]).toContain("subprotocol");
  });
});

describe("the listening engine", () => {
  test("refuses browsers with 403: an upgrade with Origin, whatever it says", async () => {
    const bus = await opened.bus({ token: TOKEN });
    for (const origin of ["https://example.com", "null", ""]) {
      const headers = { origin, authorization: `Bearer ${TOKEN}` };
      expect(await refusal(bus.url, [PROTOCOL], headers)).toMatch(/^403: /);
    }
  });

  test("accepts any path", async () => {
    const bus = await opened.bus();
    expect(await refusal(`${bus.url}/engines/1?x=y`, [PROTOCOL], {})).toBe("accepted");
  });

  test("responds 426 to plain HTTP", async () => {
    const bus = await opened.bus();
    for (const method of ["GET", "POST"]) {
      const [status, upgrade] = await new Promise<unknown[]>((resolve, reject) => {
        const sent = httpRequest(bus.url.replace("ws:", "http:"), { method, agent: false }, (response) => {
          response.resume();
          response.on("end", () => resolve([response.statusCode, response.headers.upgrade]));
        });
        sent.on("error", reject);
        sent.end();
      });
      expect([status, upgrade]).toEqual([426, "websocket"]);
    }
  });

  test("refuses connections beyond the limit with 503; a place that becomes free can be taken", async () => {
    const events = new Events();
    const bus = await opened.bus({ maxConnections: 2, onEvent: events.onEvent });
    const first = await RawGateway.connect(bus.url);
    await opened.connected({ url: bus.url });
    expect(await refusal(bus.url, [PROTOCOL], {})).toMatch(/^503: /);
    first.socket.close();
    await until(() => events.of("down").length >= 1, "one leaves");
    expect(await refusal(bus.url, [PROTOCOL], {})).toBe("accepted");
  });

  test("reports who connects and who leaves", async () => {
    const events = new Events();
    const bus = await opened.bus({ onEvent: events.onEvent });
    const gateway = await RawGateway.connect(bus.url);
    await until(() => events.of("up").length >= 1, "one comes");
    gateway.socket.close(1000, "done\n");
    await until(() => events.of("down").length >= 1, "one goes");
    expect(events.of("up")[0]).toMatch(/^Gateway 127\.0\.0\.1:\d+ has connected$/);
    expect(events.of("down")[0]).toMatch(/is gone: the other end closed it \(1000, normal\): "done\\n"$/);
  });

  test("reports a port in use with the address", async () => {
    const bus = await opened.bus();
    const port = Number(new URL(bus.url).port);
    const again = openWebSocketBus({ host: "127.0.0.1", port });
    await expect(again).rejects.toThrow(
      `The engine cannot listen on ws://127.0.0.1:${port}: the port is in use by another process`,
    );
  });

  test("reports an address that this machine does not have", async () => {
    await expect(openWebSocketBus({ host: "192.0.2.1", port: 0 })).rejects.toThrow("does not have the address");
  });

  test("does not take an empty token for one", async () => {
    await expect(openWebSocketBus({ host: "127.0.0.1", port: 0, token: "" })).rejects.toThrow("must not be empty");
  });

  test("has a URL with the real port, and brackets where the address needs them", async () => {
    const bus = await opened.bus({ host: "::1" });
    expect(bus.url).toMatch(/^ws:\/\/\[::1\]:[1-9]\d*$/);
    bus.listen(echo);
    expect(await fate(await opened.connected({ url: bus.url }), "r-1")).toBe("r-1");
  });
});

describe("options with which no attempt to connect can succeed are refused immediately", () => {
  test.each([
    ["no URL", { url: "engine" }, "such as ws://127.0.0.1:8989"],
    ["another scheme", { url: "http://127.0.0.1:1" }, "ws:// or wss://"],
    ["credentials in the URL", { url: "ws://alice:pass@127.0.0.1:1" }, "token"],
    ["a fragment", { url: "ws://127.0.0.1:1/#x" }, "fragment"],
    ["a token that would break the header", { url: "ws://127.0.0.1:1", token: "a\r\nb" }, "printable"],
    ["an empty token", { url: "ws://127.0.0.1:1", token: "" }, "printable"],
    ["TLS material for ws://", { url: "ws://127.0.0.1:1", tls: { ca: "x" } }, "wss://"],
    ["a CA that is none", { url: "wss://127.0.0.1:1", tls: { ca: "authority" } }, "no PEM certificate"],
    ["a broken CA", { url: "wss://127.0.0.1:1", tls: { ca: BROKEN_CA } }, "TLS material"],
    ["a key that is none", { url: "wss://127.0.0.1:1", tls: { cert: "x", key: "y" } }, "TLS material"],
    ["a certificate without its key", { url: "wss://127.0.0.1:1", tls: { cert: "x" } }, "belong together"],
  ])("such as %s", (_name, options, words) => {
    expect(() => new WebSocketTransport(options)).toThrow(words);
  });

  test("without a secret in the message", () => {
    expect(() => new WebSocketTransport({ url: "ws://alice:hunter2@127.0.0.1:1" })).not.toThrow("hunter2");
    expect(() => new WebSocketTransport({ url: "ws://127.0.0.1:1", token: "hunter2\n" })).not.toThrow("hunter2");
  });
});
