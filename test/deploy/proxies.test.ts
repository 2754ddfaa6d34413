import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { freePort } from "../support/ports.ts";
import { until } from "../support/until.ts";
import { API, addressOf, BehindProxy, HALT } from "./behind-proxy.ts";
import { apacheServer, haproxy, nginx } from "./documented-proxies.ts";

let behind: BehindProxy;

beforeEach(async () => {
  behind = await BehindProxy.open();
});

afterEach(() => behind.close());

describe.each([nginx, haproxy, apacheServer])(
  "docs/deploy/proxies.md: $name in front, as the document configures it",
  (proxy) => {
    async function start(more = ""): Promise<void> {
      await behind.proxy(proxy, [addressOf(await behind.gateway(more))]);
    }

    it("keeps %2F in names", async () => {
      await start();
      const reply = await behind.send(`${API}/fix/gateways/RFQ1/sessions/EUR%2FUSD%20desk`);
      expect(reply).toMatchObject({ status: 200, body: expect.stringContaining('"sessionId":"EUR/USD desk"') });
    });

    it("keeps %2F, dots and double slashes in what it hands on", async () => {
      const seen: (string | undefined)[] = [];
      const gateway = createServer((request, response) => {
        if (!request.url?.startsWith("/actuator/")) seen.push(request.url);
        response.end();
      });
      await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
      try {
        await behind.proxy(proxy, [`127.0.0.1:${(gateway.address() as AddressInfo).port}`]);
        const paths = [`${API}/services/a%2Fb%2fc`, `${API}/services/a%20b%3Fc?d=%2F`, `${API}/services//x`];
        for (const path of paths) await behind.send(path);
        expect(seen).toEqual(paths);
      } finally {
        gateway.closeAllConnections();
        gateway.close();
      }
    });

    it("waits longer than the engine may take: the caller gets the gateway's own 504, which says that the outcome is unknown", async () => {
      await start();
      behind.engine.gate.hold();
      const { status, outcome, body } = await behind.send(`${API}/trading/halt`, HALT, "{}");
      expect([status, outcome, JSON.parse(body)]).toEqual([
        504,
        "unknown",
        expect.objectContaining({ status: 504, error: "Gateway Timeout" }),
      ]);
    });

    it("tells the gateway the caller's address, whatever the caller claims", async () => {
      await start();
      const claims = { "X-Forwarded-For": "203.0.113.9", "X-Request-Id": "from-the-caller" };
      const forged = { ...HALT, localAddress: "127.0.0.2", headers: { ...HALT.headers, ...claims } };
      expect(await behind.send(`${API}/trading/halt`, forged, "{}")).toMatchObject({ status: 200, outcome: "applied" });
      const records = behind.folder.log().filter(({ stage }) => stage === "applied");
      expect(records).toEqual([expect.objectContaining({ address: "127.0.0.2", requestId: "from-the-caller" })]);
    });

    it("lets the gateway refuse a large body and large headers in its own words", async () => {
      await start();
      const body = `{"reason":"x"${" ".repeat(128 * 1024)}}`;
      expect(await behind.send(`${API}/trading/halt`, HALT, body)).toMatchObject({
        status: 413,
        body: expect.stringContaining("larger than 131072 bytes"),
      });
      const headers = { Authorization: `Bearer ${"x".repeat(20_000)}` };
      expect(await behind.send(`${API}/services`, { headers })).toMatchObject({
        status: 431,
        body: expect.stringContaining('"status":431'),
      });
    });

    it("sends requests again to a gateway that was away for a moment", async () => {
      const port = await freePort();
      const gateway = createServer((_request, response) => response.end("gateway"));
      const halt = async (): Promise<number | undefined> =>
        (await behind.send(`${API}/trading/halt`, HALT, "{}")).status;
      await behind.proxy(proxy, [`127.0.0.1:${port}`]);
      expect([502, 503]).toContain(await halt());
      await new Promise<void>((resolve) => gateway.listen(port, "127.0.0.1", resolve));
      try {
        await until(async () => (await halt()) === 200, "a halt is served again");
        expect(await halt()).toBe(200);
      } finally {
        gateway.closeAllConnections();
        gateway.close();
      }
    });

    it.each(["/actuator/prometheus", "/actuator", "/actuator/health", "/%61ctuator/health", "/x/../actuator/health"])(
      "shows nobody the actuator: %s",
      async (path) => {
        await start();
        const reply = await behind.send(path);
        expect(reply.status).toBe(404);
        if (path.startsWith("/actuator")) expect(reply.body).toContain(proxy.ownPage);
      },
    );

    it("carries WebSockets to the monitor behind the gateway", async () => {
      const monitor = createServer();
      new WebSocketServer({ server: monitor }).on("connection", (socket) =>
        socket.on("message", (data) => socket.send(data)),
      );
      await new Promise<void>((resolve) => monitor.listen(0, "127.0.0.1", resolve));
      try {
        await start(`gateway.monitor.url: http://127.0.0.1:${(monitor.address() as AddressInfo).port}\n`);
        const socket = new WebSocket(`wss://127.0.0.1:${behind.port}/ws`, { ca: behind.certificates.ca });
        const echoed = new Promise((resolve, reject) => {
          socket.once("message", (data) => resolve(data.toString()));
          socket.once("error", reject);
        });
        socket.once("open", () => socket.send("tick"));
        expect(await echoed).toBe("tick");
        socket.terminate();
      } finally {
        monitor.closeAllConnections();
        monitor.close();
      }
    });
  },
);
