import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reloadNginx } from "../support/nginx.ts";
import { freePort } from "../support/ports.ts";
import { API, addressOf, BehindProxy, HALT, type Reply } from "./behind-proxy.ts";
import { type Change, nginx } from "./documented-proxies.ts";

let behind: BehindProxy;

beforeEach(async () => {
  behind = await BehindProxy.open();
});

afterEach(() => behind.close());

describe("docs/deploy/proxies.md: mistakes with nginx that the document warns of, and what it refuses itself", () => {
  async function start(change: Change): Promise<void> {
    await behind.proxy(nginx, [addressOf(await behind.gateway())], change);
  }

  it("would not keep %2F with a path in proxy_pass", async () => {
    await start((text) => text.replace("proxy_pass http://trading_admin;", `proxy_pass http://trading_admin${API}/;`));
    const reply = await behind.send(`${API}/fix/gateways/RFQ1/sessions/EUR%2FUSD%20desk`);
    expect(reply).toMatchObject({ status: 404 });
  });

  it("would answer in its own words, without an outcome, if it gave up before the engine may", async () => {
    await start((text) => text.replace("proxy_read_timeout 1500ms", "proxy_read_timeout 500ms"));
    behind.engine.gate.hold();
    expect(await behind.send(`${API}/trading/halt`, HALT, "{}")).toEqual({
      status: 504,
      outcome: undefined,
      body: expect.stringContaining("<html>"),
    });
  });

  it("takes as large a body as the gateway does; a larger one is refused in the gateway's own words", async () => {
    await start((text) => text);
    const bodyOf = (bytes: number): string => `{"reason":"x"${" ".repeat(bytes - 14)}}`;
    const largest = await behind.send(`${API}/trading/halt`, HALT, bodyOf(128 * 1024));
    expect(JSON.parse(largest.body || "{}")).not.toMatchObject({ status: 413 });
    expect([200, 400]).toContain(largest.status);
    // The gateway answers while nginx is still sending: again and again, since a reset would show only at times.
    for (const bytes of Array.from({ length: 30 }, (_, index) => 128 * 1024 + 1 + index * 60_000)) {
      const { status, body } = await behind.send(`${API}/trading/halt`, HALT, bodyOf(bytes));
      expect([bytes, status, body]).toEqual([bytes, 413, expect.stringContaining("larger than 131072 bytes")]);
    }
    expect(await behind.send(`${API}/trading/halt`, HALT, bodyOf(2 * 1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: expect.stringContaining("<html>"),
    });
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

  /** Statuses of halts while each gateway is unavailable for a moment, one after the other. */
  async function statusesOfTwoOutages(change?: Change): Promise<unknown[]> {
    const [a, b] = [new Upstream(await freePort()), new Upstream(await freePort())];
    try {
      await Promise.all([a.up(), b.up()]);
      const upstreams = [a, b].map(({ port }) => `127.0.0.1:${port}`);
      await behind.proxy(nginx, upstreams, change);
      const statuses: unknown[] = [];
      const halts = async (): Promise<void> => {
        for (let count = 0; count < 4; count += 1) {
          statuses.push((await behind.send(`${API}/trading/halt`, HALT, "{}")).status);
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
    const gateways = [await behind.gateway(), await behind.gateway()];
    const site = (servers: readonly string[]): string => nginx.site(servers, behind.folder.path, behind.port);
    const proxy = await behind.proxy(nginx, gateways.map(addressOf));
    const load = new Load();
    for (const [at, old] of gateways.entries()) {
      const servers = gateways.map((gateway) => `${addressOf(gateway)}${gateway === old ? " down" : ""}`);
      await reloadNginx(proxy, site(servers));
      await old.close();
      gateways[at] = await behind.gateway();
      await reloadNginx(proxy, site(gateways.map(addressOf)));
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

  constructor() {
    const read = (): Promise<Reply> => behind.send(`${API}/trading/status`);
    const halt = (): Promise<Reply> => behind.send(`${API}/trading/halt`, HALT, "{}");
    this.#callers = [read, read, halt].map((call) => this.#repeat(call));
  }

  async atLeast(requests: number): Promise<void> {
    await expect.poll(() => this.#statuses.length).toBeGreaterThan(requests);
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
