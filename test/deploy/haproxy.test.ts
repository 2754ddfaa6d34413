import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PASSWORD } from "../gateway/folder.ts";
import { freePort } from "../support/ports.ts";
import { until } from "../support/until.ts";
import { API, BehindProxy, HALT, type Reply } from "./behind-proxy.ts";
import { haproxy } from "./documented-proxies.ts";

/** Something that answers as a gateway does, and says which one it is; it comes, goes and hangs. */
class Upstream {
  readonly name: string;
  readonly address: string;
  readonly #port: number;
  readonly asked: string[] = [];
  isReady = true;
  /** Whether its own link to the engine is up. */
  hasEngine = true;
  standsStill = false;
  #server: Server | undefined;
  #waiting: (() => void)[] = [];

  private constructor(name: string, port: number) {
    this.name = name;
    this.#port = port;
    this.address = `127.0.0.1:${port}`;
  }

  static async start(name: string): Promise<Upstream> {
    const upstream = new Upstream(name, await freePort());
    await upstream.up();
    return upstream;
  }

  async up(): Promise<void> {
    const server = createServer(({ url = "", method }, response) => {
      if (this.standsStill) return;
      if (url.startsWith("/actuator/")) response.writeHead(this.#isWell(url) ? 200 : 503).end();
      else {
        this.asked.push(`${method} ${url}`);
        // A slow command is answered when it is told to be.
        if (url.endsWith("/slow")) this.#waiting.push(() => response.end(this.name));
        else response.end(this.name);
      }
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
  }

  #isWell(url: string): boolean {
    return url.endsWith("/readiness") ? this.isReady : this.hasEngine;
  }

  answerSlow(): void {
    for (const answer of this.#waiting.splice(0)) answer();
  }

  async down(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

describe("docs/deploy/proxies.md: HAProxy before two gateways, D-GATE 16: commands to one, the other in reserve", () => {
  let behind: BehindProxy;
  let first: Upstream;
  let second: Upstream;

  beforeEach(async () => {
    behind = await BehindProxy.open();
    first = await Upstream.start("first");
    second = await Upstream.start("second");
    await behind.proxy(haproxy, addresses());
  });

  afterEach(async () => {
    await behind.close();
    await Promise.all([first.down(), second.down()]);
  });

  const addresses = (): string[] => [first.address, second.address];

  const halt = (): Promise<Reply> => behind.send(`${API}/trading/halt`, HALT, "{}");

  /** Who serves so many requests of a kind. */
  async function served(request: () => Promise<Reply>, count = 6): Promise<Set<string>> {
    const names = new Set<string>();
    for (let sent = 0; sent < count; sent += 1) {
      const { status, body } = await request();
      names.add(status === 200 ? body : `${status}`);
    }
    return names;
  }

  it("commands and the console's pages go to the first gateway, reads to both, a read by POST too", async () => {
    const get = (path: string) => () => behind.send(path);
    const commands = ["/trading/resume", "/positions/adjust", "/risk/update"].map((path) => `${API}${path}`);
    for (const path of commands) {
      expect([path, await served(() => behind.send(path, HALT, "{}"))]).toEqual([path, new Set(["first"])]);
    }
    expect(await served(get("/console/nodes"))).toEqual(new Set(["first"]));
    expect(await served(get("/console"))).toEqual(new Set(["first"]));
    for (const read of [get(`${API}/trading/status`), get("/console-of-the-monitor")]) {
      expect(await served(read)).toEqual(new Set(["first", "second"]));
    }
    expect(await served(() => behind.send(`${API}/positions`, HALT, "{}"))).toEqual(new Set(["first", "second"]));
  });

  it("a gateway that refuses connections: every halt is served by the other one, and then by the first again", async () => {
    await first.down();
    expect(await served(halt)).toEqual(new Set(["second"]));
    await first.up();
    await until(async () => (await halt()).body === "first", "the first gateway gets commands again");
    expect(second.asked.length).toBeGreaterThanOrEqual(6);
    await second.down();
    expect(await served(() => behind.send(`${API}/trading/status`))).toEqual(new Set(["first"]));
  });

  it("a gateway that shuts down gets no new commands, and finishes those that it has", async () => {
    // The proxy's patience, which is scaled, has to outlast a slow machine here.
    await behind.proxy(haproxy, addresses(), (site) => site.replace("timeout server 1500ms", "timeout server 15s"));
    const slow = behind.send(`${API}/slow`, HALT, "{}");
    await until(() => first.asked.length >= 1, "the slow command has arrived");
    first.isReady = false;
    await until(async () => (await halt()).body === "second", "commands go to the other gateway");
    first.answerSlow();
    expect(await slow).toMatchObject({ status: 200, body: "first" });
  });

  it("a gateway whose own link to the engine is down: commands go to the one that reaches it, reads still to both", async () => {
    first.hasEngine = false;
    await until(async () => (await halt()).body === "second", "commands go to the gateway that reaches the engine");
    expect(await served(halt)).toEqual(new Set(["second"]));
    expect(await served(() => behind.send(`${API}/trading/status`))).toEqual(new Set(["first", "second"]));
    first.hasEngine = true;
    await until(async () => (await halt()).body === "first", "the first gateway gets commands again");
  });

  it("where no gateway reaches the engine, one of them says that nothing was sent", async () => {
    first.hasEngine = false;
    await until(async () => (await halt()).body === "second", "commands go to the gateway that reaches the engine");
    second.hasEngine = false;
    await until(async () => (await halt()).body === "first", "the first gateway that is ready answers");
    expect(await served(halt)).toEqual(new Set(["first"]));
  });

  it("a gateway that hangs is taken out, and a command that it has is ended without an outcome, not sent again", async () => {
    expect(await served(halt, 1)).toEqual(new Set(["first"]));
    const commands = second.asked.length;
    first.standsStill = true;
    const lost = await halt();
    expect([lost.outcome, [502, 504].includes(lost.status ?? 0)]).toEqual([undefined, true]);
    expect(second.asked.length).toBe(commands);
    await until(async () => (await halt()).body === "second", "the other gateway gets commands");
  });

  it("with no gateway a command is answered 503", async () => {
    await Promise.all([first.down(), second.down()]);
    expect(await served(halt, 2)).toEqual(new Set(["503"]));
  });
});

describe("docs/deploy/proxies.md: HAProxy before two real gateways", () => {
  it("two people meet in one gateway, and one command of theirs is carried out", async () => {
    const behind = await BehindProxy.open();
    try {
      behind.folder.addUser("deputy");
      const policy = "admin.policy.two-person: { operations: [resumeTrading] }\n";
      const gateways = [await behind.gateway(policy), await behind.gateway(policy)];
      await behind.proxy(
        haproxy,
        gateways.map(({ url }) => new URL(url).host),
      );
      const resume = (user: string): Promise<Reply> => {
        const authorization = `Basic ${Buffer.from(`${user}:${PASSWORD}`).toString("base64")}`;
        return behind.send(
          `${API}/trading/resume`,
          { ...HALT, headers: { ...HALT.headers, Authorization: authorization } },
          "{}",
        );
      };
      const outcomes: unknown[] = [];
      for (const user of ["chief", "deputy", "deputy"]) outcomes.push((await resume(user)).status);
      expect(outcomes).toEqual([403, 200, 403]);
    } finally {
      await behind.close();
    }
  });
});
