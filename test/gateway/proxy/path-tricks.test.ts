import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { exchange } from "../connection.ts";
import { CHIEF } from "../folder.ts";
import { BASE, DISGUISED, OURS } from "./own-targets.ts";
import { ProxyWorld, text } from "./world.ts";

let world: ProxyWorld;
beforeAll(async () => {
  world = await ProxyWorld.start();
});
afterEach(() => world.backend.reset());
afterAll(() => world.close());

const CLOSE = ["Host: monitor.example", "Connection: close"];
const HALT = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

function send(method: string, target: string, ...headers: readonly string[]): Promise<string> {
  return exchange(world.url, text(`${method} ${target} HTTP/1.1`, ...CLOSE, ...headers));
}

async function isHalted(): Promise<boolean> {
  const status = await fetch(`${world.url}${BASE}/trading/status`, { headers: { Authorization: CHIEF } });
  return ((await status.json()) as { halted: boolean }).halted;
}

describe("D-GATE 1: path tricks reach our handler or the backend, never our operations without authentication", () => {
  it.each([...OURS, ...DISGUISED])(
    "since %s without credentials is 401 (400 where it is not HTTP), and not forwarded",
    async (target) => {
      expect(await send("GET", target)).toMatch(
        /^HTTP\/1\.1 (?:401 Unauthorized\r\n(?:.+\r\n)*Content-Length: 0\r\n|400 )/,
      );
      expect(world.backend.seen).toEqual([]);
    },
  );

  it.each(DISGUISED)("since %s with credentials is 404 in our shape, and neither forwarded nor run", async (target) => {
    const received = await exchange(
      world.url,
      `${[`POST ${target} HTTP/1.1`, ...CLOSE, `Authorization: ${CHIEF}`].join("\r\n")}\r\n${HALT}`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 40[04] .*\r\n(?:.+\r\n)+\r\n\{"status":40[04],/);
    expect(world.backend.seen).toEqual([]);
    expect(await isHalted()).toBe(false);
  });

  it("while an absolute target that is written properly is served (RFC 9112 section 3.2.2)", async () => {
    const target = `http://monitor.example${BASE}/trading/status`;
    expect(await send("GET", target, `Authorization: ${CHIEF}`)).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await send("GET", target)).toMatch(/^HTTP\/1\.1 401 /);
    expect(world.backend.seen).toEqual([]);
  });

  it("and the admin credentials of a request to our paths are never forwarded", async () => {
    for (const target of [`${BASE}/trading/status`, `${BASE}/nothing`, ...DISGUISED]) {
      await send("GET", target, `Authorization: ${CHIEF}`);
    }
    expect(world.backend.seen).toEqual([]);
  });

  it("while a request to the monitor keeps its credentials and its target, byte by byte", async () => {
    const target = "/a%20b//c;d=e/%2F.x/..y?q=/api/admin/v1&%zz";
    await send("GET", target, "Authorization: Basic bW9uaXRvcg==");
    expect(world.backend.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      [target, "Basic bW9uaXRvcg=="],
    ]);
  });
});

describe("D-HTTP 24: with admin.api.enabled: false", () => {
  it("our paths go to the monitor backend", async () => {
    const closed = await ProxyWorld.start("admin.api.enabled: false\n");
    try {
      for (const target of [`${BASE}/trading/status`, `/x/..${BASE}`, "/v3/api-docs"]) {
        expect(await exchange(closed.url, text(`GET ${target} HTTP/1.1`, ...CLOSE))).toMatch(/monitor$/);
      }
      expect(closed.backend.seen.map(({ url }) => url)).toEqual([
        `${BASE}/trading/status`,
        `/x/..${BASE}`,
        "/v3/api-docs",
      ]);
    } finally {
      await closed.close();
    }
  });
});

describe("D-GATE 1: request smuggling", () => {
  const REQUEST = [`POST /ui HTTP/1.1`, "Host: monitor.example"];
  const SMUGGLED = `GET ${BASE}/services HTTP/1.1\r\nHost: x\r\n\r\n`;

  it.each([
    ["length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["chunks and length", ["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n"],
    ["two lengths", ["Content-Length: 5", "Content-Length: 6"], "hello"],
    ["a list of lengths", ["Content-Length: 5, 5"], "hello"],
    ["a length with a sign", ["Content-Length: +5"], "hello"],
    ["a hexadecimal length", ["Content-Length: 0x5"], "hello"],
    ["a coding that is not chunked last", ["Transfer-Encoding: chunked, gzip"], "0\r\n\r\n"],
    ["chunked twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["an unknown coding", ["Transfer-Encoding: xchunked"], "0\r\n\r\n"],
    ["a coding before chunked", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
    ["a blank before the colon", ["Transfer-Encoding : chunked"], "0\r\n\r\n"],
    ["a folded header", ["X: a", " Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["bare line feeds", ["X: a\nTransfer-Encoding: chunked"], "0\r\n\r\n"],
    ["a bare carriage return", ["X: a\rTransfer-Encoding: chunked"], "0\r\n\r\n"],
    ["a chunk size with junk", ["Transfer-Encoding: chunked"], "0x5\r\nhello\r\n0\r\n\r\n"],
    ["a chunk that ends in a bare line feed", ["Transfer-Encoding: chunked"], "5\nhello\n0\n\n"],
  ])(
    "of the kind %s is refused, or forwarded with one framing; nothing behind it is served",
    async (_, headers, body) => {
      const connection = await world.connect();
      connection.write(`${text(...REQUEST, ...headers)}${body}${SMUGGLED}`);
      await connection.until(/^HTTP\/1\.1 [\s\S]*\r\n\r\n/);
      await connection.until(/401|400|501/);
      // What was let through ended where both sides think that it ends: the next request is a request of its own.
      for (const { url, body: seen } of world.backend.seen) {
        expect(url).toBe("/ui");
        expect(seen).not.toContain("GET");
      }
      expect(connection.received).not.toContain("200 OK\r\nCache-Control: no-store");
    },
  );

  it("by DELETE and OPTIONS with chunks fails: they keep their framing, and their body is not a request", async () => {
    for (const method of ["DELETE", "OPTIONS"]) {
      const body = `GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
      const head = text(`${method} /ui HTTP/1.1`, "Host: monitor.example", "Transfer-Encoding: chunked");
      await world.exchange(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, /monitor/);
      expect(world.backend.seen.map(({ url, body: seen }) => [url, seen])).toEqual([["/ui", body]]);
      world.backend.reset();
    }
  });
});
