import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CHIEF } from "../folder.ts";
import { ProxyWorld, text } from "./world.ts";

const HOST = "Host: monitor.example";

/** What a caller might say to be taken for somebody else. */
const SPOOFED = [
  "X-Forwarded-For: 6.6.6.6",
  "X-Forwarded-Host: evil.example",
  "X-Forwarded-Port: 666",
  "X-Forwarded-Proto: https",
  "X-Forwarded-Prefix: /evil",
  "X-Forwarded-Anything: evil",
  "X_Forwarded_For: 6.6.6.6",
  "Forwarded: for=6.6.6.6;host=evil.example",
  "X-Real-IP: 6.6.6.6",
  "X-Real_IP: 6.6.6.6",
  "X-Original-URL: /api/admin/v1/trading/halt",
  "X-Rewrite-URL: /api/admin/v1/trading/halt",
];

const worlds: ProxyWorld[] = [];

async function start(yaml = ""): Promise<ProxyWorld> {
  const world = await ProxyWorld.start(yaml);
  worlds.push(world);
  return world;
}

/** The headers with which a request reaches the monitor. */
async function sent(world: ProxyWorld, ...headers: readonly string[]): Promise<NodeJS.Dict<string | string[]>> {
  world.backend.reset();
  await world.exchange(text("GET /x HTTP/1.1", ...headers), /monitor$/);
  return world.backend.seen[0]?.headers ?? {};
}

afterAll(async () => {
  for (const world of worlds) await world.close();
});

describe("RFC 9110 section 7.6.1: headers of the connection are not forwarded", () => {
  let world: ProxyWorld;
  beforeAll(async () => {
    world = await start();
  });
  afterEach(() => world.backend.reset());

  it("on the way to the monitor, those named by Connection too", async () => {
    const own = ["Connection: keep-alive, X-Mine , TE", "X-Mine: 1", "Keep-Alive: timeout=9", "TE: gzip", "Trailer: X"];
    const proxies = ["Proxy-Connection: keep-alive", "Proxy-Authorization: Basic eA==", "Proxy: evil", "X-Yours: 2"];
    const headers = await sent(
      world,
      HOST,
      ...own,
      ...proxies,
      "Authorization: Basic bW9uaXRvcg==",
      "Cookie: a=b; c=d",
    );
    expect(headers).toEqual({
      host: "monitor.example",
      connection: "keep-alive",
      "x-yours": "2",
      authorization: "Basic bW9uaXRvcg==",
      cookie: "a=b; c=d",
      via: expect.stringMatching(/^1\.1 trading-admin-[0-9a-f]{12}$/),
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": "monitor.example",
      "x-forwarded-port": new URL(world.url).port,
      "x-forwarded-proto": "http",
      "x-real-ip": "127.0.0.1",
    });
  });

  it("although Connection can name neither Host nor the length, nor what the gateway itself sets", async () => {
    const named = "Connection: host, content-length, x-forwarded-for, x-real-ip, via";
    const connection = await world.connect();
    connection.write(`${text("POST /x HTTP/1.1", HOST, named, "Content-Length: 2")}ok`);
    await connection.until(/monitor$/);
    expect(world.backend.seen[0]?.body).toBe("ok");
    expect(world.backend.seen[0]?.headers).toMatchObject({
      host: "monitor.example",
      "content-length": "2",
      "x-forwarded-for": "127.0.0.1",
      "x-real-ip": "127.0.0.1",
      via: expect.stringMatching(/^1\.1 trading-admin-[0-9a-f]{12}$/),
    });
  });

  it("nor on the way back", async () => {
    world.backend.answer = (_, response) => {
      response.writeHead(200, {
        Connection: "close, X-Mine",
        "Keep-Alive": "timeout=77",
        "Proxy-Authenticate": "Basic",
        Upgrade: "h2c",
        "X-Mine": "1",
        "X-Yours": "2",
      });
      response.end("monitor");
    };
    const received = await world.exchange(text("GET /x HTTP/1.1", HOST), /monitor/);
    expect(received).toContain("X-Yours: 2\r\n");
    expect(received).not.toMatch(/X-Mine|Upgrade|Proxy-Authenticate|timeout=77|Connection: close/);
  });

  it("and Via keeps what others wrote", async () => {
    expect((await sent(world, HOST, "Via: 1.0 edge")).via).toMatch(/^1\.0 edge, 1\.1 trading-admin-/);
  });
});

describe("D-GATE 3: spoofable headers are dropped and set anew unless the peer is trusted", () => {
  it("by default nobody is trusted", async () => {
    const world = await start();
    const headers = await sent(world, HOST, ...SPOOFED);
    expect(JSON.stringify(headers)).not.toMatch(/evil|6\.6\.6\.6|\b666\b|halt/);
    expect(headers).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": "monitor.example",
      "x-forwarded-proto": "http",
      "x-real-ip": "127.0.0.1",
    });
  });

  it("a trusted proxy's X-Forwarded-* are continued, and what it does not write is still dropped", async () => {
    const world = await start("server.trusted-proxies: [127.0.0.0/8, 10.0.0.0/8]\n");
    const chain = "X-Forwarded-For: 6.6.6.6, 203.0.113.9, 10.1.2.3";
    const told = ["X-Forwarded-Host: desk.example", "X-Forwarded-Proto: https", "X-Forwarded-Port: 443"];
    const others = [
      "X-Forwarded-Prefix: /ui",
      "Forwarded: for=6.6.6.6",
      "X-Real-IP: 6.6.6.6",
      "X_Forwarded_For: 6.6.6.6",
    ];
    const headers = await sent(world, HOST, chain, ...told, ...others);
    expect(headers).toMatchObject({
      host: "monitor.example",
      "x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.1.2.3, 127.0.0.1",
      "x-forwarded-host": "desk.example",
      "x-forwarded-port": "443",
      "x-forwarded-prefix": "/ui",
      "x-forwarded-proto": "https",
      "x-real-ip": "203.0.113.9",
    });
    expect(headers).not.toHaveProperty("forwarded");
    expect(headers).not.toHaveProperty("x_forwarded_for");
  });

  it("with server.forwarded-header: Forwarded it is the other way round", async () => {
    const world = await start("server.trusted-proxies: 127.0.0.1\nserver.forwarded-header: Forwarded\n");
    const given = 'Forwarded: for="[2001:db8::7]:4711";proto=https;host=desk.example';
    const headers = await sent(world, HOST, given, "X-Forwarded-For: 6.6.6.6", "X-Forwarded-Proto: ftp");
    expect(headers).toMatchObject({
      forwarded:
        'for="[2001:db8::7]:4711";proto=https;host=desk.example, for=127.0.0.1;host=monitor.example;proto=http',
      "x-real-ip": "2001:db8::7",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("x-forwarded"))).toEqual([]);
    expect((await sent(world, "Host: a:81")).forwarded).toBe('for=127.0.0.1;host="a:81";proto=http');
  });
});

describe("D-GATE 3, D-LOG 5: the same trust decides the caller's address in records", () => {
  it("as set in server.trusted-proxies", async () => {
    for (const [yaml, address] of [
      ["", "127.0.0.1"],
      ["server.trusted-proxies: 127.0.0.1\n", "203.0.113.9"],
    ] as const) {
      const world = await start(yaml);
      const headers = { Authorization: CHIEF, "X-Forwarded-For": "6.6.6.6, 203.0.113.9" };
      const url = `${world.url}/api/admin/v1/trading/resume`;
      expect((await fetch(url, { method: "POST", headers })).status).toBe(200);
      const records = world.folder.log().filter(({ stage }) => stage !== undefined);
      expect(new Set(records.map((record) => record.address))).toEqual(new Set([address]));
    }
  });
});
