import { createServer, type Server } from "node:http";
import { type RequestOptions, request } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { type HeldEngine, startHeldEngine } from "../gateway/held-engine.ts";
import { Nginx } from "../support/nginx.ts";
import { freePort } from "../support/ports.ts";
import { type Certificates, makeCertificates } from "../transports/support/certificates.ts";
import { blockOf } from "./document.ts";

const SETTINGS = "admin.engine.request-timeout: 1s\nserver.trusted-proxies: 127.0.0.1\n";

let certificates: Certificates;
let folder: InstallationFolder;
let engine: HeldEngine;
let nginx: Nginx | undefined;

beforeAll(async () => {
  certificates = await makeCertificates();
});

beforeEach(async () => {
  folder = new InstallationFolder();
  folder.write("admin.crt", certificates.engine.cert);
  folder.write("admin.key", certificates.engine.key);
  engine = await startHeldEngine();
});

afterEach(async () => {
  await nginx?.stop();
  nginx = undefined;
  await folder.close();
  await engine.close();
});

/** The document's configuration for these gateways; the time that it gives the engine is scaled as the engine's own is. */
function site(gateways: readonly string[], port: number): string {
  const document = blockOf("deploy/proxies.md", "nginx");
  const [, options = ""] = /^ {4}server \d\S+( .*)?;$/m.exec(document) ?? [];
  const servers = gateways.map((gateway) => `    server ${gateway}${options};\n`).join("");
  return document
    .replace(/( {4}server \d.*;\n)+/, servers)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replaceAll("/etc/nginx/tls", folder.path)
    .replace("proxy_read_timeout 15s", "proxy_read_timeout 1500ms");
}

function addressOf({ url }: Pick<Gateway, "url">): string {
  return new URL(url).host;
}

async function startBehind(more = "", change: (site: string) => string = (text) => text): Promise<Nginx> {
  const gateway = await folder.start(`${SETTINGS}${engine.settings}${more}`);
  nginx = await Nginx.start((port) => change(site([addressOf(gateway)], port)));
  return nginx;
}

interface Reply {
  readonly status: number | undefined;
  readonly body: string;
}

function send({ port }: Nginx, path: string, options: RequestOptions = {}, body = ""): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: CHIEF, ...options.headers };
    const target = { host: "127.0.0.1", port, path, ca: certificates.ca, agent: false };
    const sent = request({ ...target, ...options, headers }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      reply.once("end", () => resolve({ status: reply.statusCode, body: text }));
      reply.once("error", reject);
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

const API = "/api/admin/v1";
const HALT: RequestOptions = { method: "POST", headers: { "Content-Type": "application/json" } };

describe("docs/deploy/proxies.md: nginx in front, as the document configures it", () => {
  const SESSION = `${API}/fix/gateways/RFQ1/sessions/EUR%2FUSD%20desk`;

  it("keeps %2F in names", async () => {
    const reply = await send(await startBehind(), SESSION);
    expect(reply).toEqual({ status: 200, body: expect.stringContaining('"sessionId":"EUR/USD desk"') });
  });

  it("would not keep it with a path in proxy_pass, which the document warns of", async () => {
    const wrong = (text: string) =>
      text.replace("proxy_pass http://trading_admin;", `proxy_pass http://trading_admin${API}/;`);
    expect(await send(await startBehind("", wrong), SESSION)).toMatchObject({ status: 404 });
  });

  it("waits longer than the engine may take: the caller gets the gateway's own 504, which says that the outcome is unknown", async () => {
    const proxy = await startBehind();
    engine.gate.hold();
    const { status, body } = await send(proxy, `${API}/trading/halt`, HALT, "{}");
    expect([status, JSON.parse(body)]).toEqual([
      504,
      expect.objectContaining({ status: 504, error: "Gateway Timeout" }),
    ]);
  });

  it("would not, if it gave up before the engine may", async () => {
    const hasty = (text: string) => text.replace("proxy_read_timeout 1500ms", "proxy_read_timeout 500ms");
    const proxy = await startBehind("", hasty);
    engine.gate.hold();
    expect(await send(proxy, `${API}/trading/halt`, HALT, "{}")).toEqual({
      status: 504,
      body: expect.stringContaining("<html>"),
    });
  });

  it("tells the gateway the caller's address, whatever the caller claims", async () => {
    const forged = {
      ...HALT,
      localAddress: "127.0.0.2",
      headers: { ...HALT.headers, "X-Forwarded-For": "203.0.113.9" },
    };
    expect(await send(await startBehind(), `${API}/trading/halt`, forged, "{}")).toMatchObject({ status: 200 });
    const records = folder.log().filter(({ stage }) => stage === "applied");
    expect(records).toEqual([expect.objectContaining({ address: "127.0.0.2" })]);
  });

  it("takes as large a body as the gateway does; a larger one is refused in the gateway's own words", async () => {
    const proxy = await startBehind();
    const bodyOf = (bytes: number): string => `{"reason":"x"${" ".repeat(bytes - 14)}}`;
    const largest = await send(proxy, `${API}/trading/halt`, HALT, bodyOf(1024 * 1024));
    expect(JSON.parse(largest.body || "{}")).not.toMatchObject({ status: 413 });
    expect([200, 400]).toContain(largest.status);
    // The gateway answers while nginx is still sending: again and again, since a reset would show only at times.
    for (const bytes of Array.from({ length: 30 }, (_, index) => 1024 * 1024 + 1 + index * 30_000)) {
      const { status, body } = await send(proxy, `${API}/trading/halt`, HALT, bodyOf(bytes));
      expect([bytes, status, body]).toEqual([bytes, 413, expect.stringContaining("larger than 1048576 bytes")]);
    }
    expect(await send(proxy, `${API}/trading/halt`, HALT, bodyOf(2 * 1024 * 1024 + 1))).toEqual({
      status: 413,
      body: expect.stringContaining("<html>"),
    });
  });

  it("lets the gateway refuse large headers in its own words", async () => {
    const headers = { Authorization: `Bearer ${"x".repeat(20_000)}` };
    const reply = await send(await startBehind(), `${API}/services`, { headers });
    expect(reply).toEqual({ status: 431, body: expect.stringContaining('"status":431') });
  });

  it.each(["/actuator/prometheus", "/actuator", "/%61ctuator/health", "/x/../actuator/health"])(
    "shows nobody the actuator: %s",
    async (path) => {
      expect(await send(await startBehind(), path)).toEqual({ status: 404, body: expect.stringContaining("nginx") });
    },
  );

  it("carries WebSockets to the monitor behind the gateway", async () => {
    const monitor = createServer();
    new WebSocketServer({ server: monitor }).on("connection", (socket) =>
      socket.on("message", (data) => socket.send(data)),
    );
    await new Promise<void>((resolve) => monitor.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = await startBehind(
        `gateway.monitor.url: http://127.0.0.1:${(monitor.address() as AddressInfo).port}\n`,
      );
      const socket = new WebSocket(`wss://127.0.0.1:${port}/ws`, { ca: certificates.ca });
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
});

describe("docs/deploy/proxies.md: nginx before two gateways", () => {
  /** Something at a port that comes and goes, as a gateway does. */
  class Upstream {
    readonly port: number;
    #server: Server | undefined;

    constructor(port: number) {
      this.port = port;
    }

    async up(): Promise<void> {
      const server = createServer((_request, response) => response.end("gateway"));
      this.#server = server;
      await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    }

    async down(): Promise<void> {
      this.#server?.closeAllConnections();
      await new Promise((resolve) => this.#server?.close(resolve));
    }
  }

  /** Statuses of halts while each gateway is away for a moment, one after the other. */
  async function statusesOfTwoOutages(change: (site: string) => string = (text) => text): Promise<unknown[]> {
    const [a, b] = [new Upstream(await freePort()), new Upstream(await freePort())];
    try {
      await Promise.all([a.up(), b.up()]);
      const upstreams = [a, b].map(({ port }) => `127.0.0.1:${port}`);
      const proxy = await Nginx.start((port) => change(site(upstreams, port)));
      nginx = proxy;
      const statuses: unknown[] = [];
      const halts = async (): Promise<void> => {
        for (let count = 0; count < 4; count += 1) {
          statuses.push((await send(proxy, `${API}/trading/halt`, HALT, "{}")).status);
        }
      };
      for (const upstream of [a, b]) {
        await upstream.down();
        await halts();
        await upstream.up();
      }
      await halts();
      return statuses;
    } finally {
      await Promise.all([a.down(), b.down()]);
    }
  }

  it("two short outages, one of each gateway: every halt reaches the one that is up", async () => {
    expect(new Set(await statusesOfTwoOutages())).toEqual(new Set([200]));
  });

  it("would answer 502 by itself with nginx's own max_fails, which the document warns of", async () => {
    expect(await statusesOfTwoOutages((text) => text.replaceAll(" max_fails=0", ""))).toContain(502);
  });
});

describe("docs/deploy/README.md: upgrade without a lost request", () => {
  it("each gateway is taken out, replaced and put back, and no request fails meanwhile", async () => {
    const settings = `${SETTINGS}${engine.settings}`;
    const gateways = [await folder.start(settings), await folder.start(settings)];
    const proxy = await Nginx.start((port) => site(gateways.map(addressOf), port));
    nginx = proxy;
    const load = new Load(proxy);
    for (const [at, old] of gateways.entries()) {
      const servers = gateways.map((gateway) => `${addressOf(gateway)}${gateway === old ? " down" : ""}`);
      await proxy.reload(site(servers, proxy.port));
      await old.close();
      gateways[at] = await folder.start(settings);
      await proxy.reload(site(gateways.map(addressOf), proxy.port));
    }
    await load.atLeast(50);
    const statuses = await load.end();
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});

/** Callers that read and halt without a pause. */
class Load {
  readonly #statuses: (number | string | undefined)[] = [];
  readonly #callers: Promise<void>[];
  #ending = false;

  constructor(proxy: Nginx) {
    const read = (): Promise<Reply> => send(proxy, `${API}/trading/status`);
    const halt = (): Promise<Reply> => send(proxy, `${API}/trading/halt`, HALT, "{}");
    this.#callers = [read, read, halt].map((call) => this.#repeat(call));
  }

  async atLeast(requests: number): Promise<void> {
    await expect.poll(() => this.#statuses.length, { timeout: 20_000 }).toBeGreaterThan(requests);
  }

  async end(): Promise<readonly (number | string | undefined)[]> {
    this.#ending = true;
    await Promise.all(this.#callers);
    return this.#statuses;
  }

  async #repeat(call: () => Promise<Reply>): Promise<void> {
    while (!this.#ending) {
      const status = await call().then(
        (reply) => reply.status,
        (error: Error) => error.message,
      );
      this.#statuses.push(status);
    }
  }
}
