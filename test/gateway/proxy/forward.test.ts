import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";

import { request as startRequest } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ProxyWorld, text } from "./world.ts";

let world: ProxyWorld;
beforeAll(async () => {
  world = await ProxyWorld.start();
});
afterEach(() => world.backend.reset());
afterAll(() => world.close());

const HOST = "Host: monitor.example";

describe("D-GATE 1: everything outside our own paths is forwarded to the monitor backend", () => {
  it.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "for %s without a body, with a length, in chunks",
    async (method) => {
      const line = `${method} /ui/a%20b//c;d?x=%2F&y=1 HTTP/1.1`;
      const all = [
        text(line, HOST),
        `${text(line, HOST, "Content-Length: 6")}a body`,
        `${text(line, HOST, "Transfer-Encoding: chunked")}3\r\na b\r\n3\r\nody\r\n0\r\n\r\n`,
      ];
      const received = await world.exchange(all.join(""), /(?:monitor[\s\S]*){3}/);
      expect(received.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3);
      expect(world.backend.seen.map(({ method: seen, url, body }) => [seen, url, body])).toEqual([
        [method, "/ui/a%20b//c;d?x=%2F&y=1", ""],
        [method, "/ui/a%20b//c;d?x=%2F&y=1", "a body"],
        [method, "/ui/a%20b//c;d?x=%2F&y=1", "a body"],
      ]);
    },
  );

  it("and status, reason, repeated headers and their spelling come back unchanged", async () => {
    world.backend.answer = (_, response) => {
      response.writeHead(299, "Quite Fine", ["Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-Odd-CASE", "é"]);
      response.end("body");
    };
    const received = await world.exchange(text("GET / HTTP/1.1", HOST), /body/);
    expect(received).toMatch(/^HTTP\/1.1 299 Quite Fine\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Odd-CASE: é\r\n/);
  });

  it("and an absolute target is sent as its path, with its host as the host (RFC 9112 section 3.2.2)", async () => {
    await world.exchange(text("GET http://other.example:81/a?b HTTP/1.1", HOST), /monitor/);
    await world.exchange(text("GET http://other.example HTTP/1.1", HOST), /monitor/);
    await world.exchange(text("OPTIONS * HTTP/1.1", HOST), /monitor/);
    expect(world.backend.seen.map(({ url, headers }) => [url, headers.host])).toEqual([
      ["/a?b", "other.example:81"],
      ["/", "other.example"],
      ["*", "monitor.example"],
    ]);
  });

  it.each(["ftp://x/a", "http://alice@x/a", "http:///a"])("but the target %s is refused with 400", async (target) => {
    const received = await world.exchange(text(`GET ${target} HTTP/1.1`, HOST), /\r\n\r\n[\s\S]*/);
    expect(received).toMatch(/^HTTP\/1.1 400 /);
    expect(world.backend.seen).toEqual([]);
  });

  it("and HEAD, 204 and 304 have no body, and the connection stays open", async () => {
    world.backend.answer = (request, response) => {
      const status = Number(request.url?.slice(1));
      response.writeHead(status, { ...(status !== 204 && { "Content-Length": 1000 }), ETag: '"1"' });
      if (status === 200) response.end(request.method === "HEAD" ? undefined : "x".repeat(1000));
      else response.end();
    };
    const asked = [text("HEAD /200 HTTP/1.1", HOST), text("GET /204 HTTP/1.1", HOST), text("GET /304 HTTP/1.1", HOST)];
    const received = await world.exchange(asked.join(""), /(?:\r\n\r\n[\s\S]*){3}/);
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 204", "HTTP/1.1 304"]);
    expect(received.match(/Content-Length: 1000/g)).toHaveLength(2);
    expect(received).not.toContain("xxx");
  });

  it("and trailers go both ways, except those of the connection and those that name the caller", async () => {
    world.backend.answer = (request, response) =>
      world.backend.take(request, () => {
        response.writeHead(200, { Trailer: "X-Sum" });
        response.write("body");
        response.addTrailers([
          ["X-Sum", "42"],
          ["Keep-Alive", "timeout=1"],
        ]);
        response.end();
      });
    const headers = text("POST /t HTTP/1.1", HOST, "TE: trailers", "Trailer: X-Check", "Transfer-Encoding: chunked");
    const received = await world.exchange(
      `${headers}1\r\na\r\n0\r\nX-Check: 7\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n`,
      /0\r\n.*\r\n\r\n$/,
    );
    expect(received).toMatch(/\r\n4\r\nbody\r\n0\r\nX-Sum: 42\r\n\r\n$/);
    expect(world.backend.seen[0]?.trailers).toEqual({ "x-check": "7" });
    expect(world.backend.seen[0]?.headers).toMatchObject({ te: "trailers", trailer: "X-Check" });
  });

  it("and a header Trailer without chunks breaks nothing, in either direction", async () => {
    world.backend.answer = (request, response) =>
      world.backend.take(request, () => {
        response.socket?.end("HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nContent-Length: 2\r\n\r\nok");
      });
    const received = await world.exchange(
      `${text("POST /t HTTP/1.1", HOST, "Trailer: X", "Content-Length: 1")}a`,
      /ok$/,
    );
    expect(received).not.toContain("Trailer");
    world.backend.reset();
    expect(await world.exchange(text("GET /1.0 HTTP/1.0", HOST), /monitor$/)).toMatch(/^HTTP\/1.1 200 OK/);
  });

  it("and 100 Continue comes from the backend, and not before it", async () => {
    world.backend.server.once("checkContinue", (request, response) => {
      setTimeout(() => {
        response.writeContinue();
        world.backend.take(request, () => response.end("taken"));
      }, 100);
    });
    const connection = await world.connect();
    connection.write(text("POST /up HTTP/1.1", HOST, "Expect: 100-continue", "Content-Length: 2"));
    await connection.until(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
    connection.write("ok");
    await connection.until(/taken/);
    expect(connection.received.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 200"]);
    expect(world.backend.seen[0]?.body).toBe("ok");
  });

  it("and an upload that the backend refuses before 100 Continue is not requested", async () => {
    world.backend.server.once("checkContinue", (_, response) => {
      response.writeHead(413, { Connection: "close" });
      response.end("too much");
    });
    const connection = await world.connect();
    connection.write(text("POST /up HTTP/1.1", HOST, "Expect: 100-continue", "Content-Length: 2"));
    await connection.closed();
    expect(connection.received).toMatch(/^HTTP\/1.1 413 [\s\S]*too much/);
  });

  it("and 102 and 103 are forwarded before the response", async () => {
    world.backend.answer = (_, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: ["</a.css>; rel=preload", "</b.js>; rel=preload"] });
      response.end("done");
    };
    const received = await world.exchange(text("GET / HTTP/1.1", HOST), /done/);
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 102", "HTTP/1.1 103", "HTTP/1.1 200"]);
    expect(received).toContain("Link: </a.css>; rel=preload, </b.js>; rel=preload\r\n");
  });

  it("D-GATE 14: but not a link of 103 that Node would check for hours", async () => {
    world.backend.answer = (_, response) => {
      const links = `<x>${";a=b".repeat(40)};\r\nLink: </c.css>; rel="preload"; as=style`;
      response.socket?.write(`HTTP/1.1 103 Early Hints\r\nLink: ${links}\r\n\r\n`);
      response.end("done");
    };
    const received = await world.exchange(text("GET / HTTP/1.1", HOST), /done/);
    expect(received).toMatch(
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/c\.css>; rel="preload"; as=style\r\n\r\nHTTP\/1\.1 200/,
    );
  });

  it.each([
    [16, "200 OK"],
    [17, "502 Bad Gateway"],
  ])("D-GATE 14: and of informational responses %i lead to %s", async (count, status) => {
    world.backend.answer = (_, response) => {
      response.socket?.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(count));
      response.end("done");
    };
    const received = await world.exchange(text("GET / HTTP/1.1", HOST), /HTTP\/1\.1 [2-5]/);
    expect(received.match(/HTTP\/1\.1 102/g)).toHaveLength(16);
    expect(received).toContain(`HTTP/1.1 ${status}\r\n`);
  });

  it("and headers are forwarded before a body comes, as server-sent events need it", async () => {
    world.backend.answer = (_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
    };
    await world.exchange(text("GET /events HTTP/1.1", HOST), /text\/event-stream/);
  });

  it("and a long download waits for a slow caller without loss", async () => {
    const piece = randomBytes(64 * 1024);
    const [pieces, expected] = [1_000, createHash("sha256")];
    let written = 0;
    world.backend.answer = async (_, response) => {
      for (; written < pieces; written += 1) if (!response.write(piece)) await once(response, "drain");
      response.end();
    };
    for (let index = 0; index < pieces; index += 1) expected.update(piece);
    const sent = startRequest(`${world.url}/big`);
    sent.end();
    const [answer] = await once(sent, "response");
    // The caller does not read: what is in progress fits into buffers of sockets and streams.
    const isHeld = async (): Promise<boolean> => {
      const before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return written === before;
    };
    await expect.poll(isHeld).toBe(true);
    expect(written).toBeLessThan(pieces / 2);
    const received = createHash("sha256");
    for await (const chunk of answer) received.update(chunk);
    expect(received.digest("hex")).toBe(expected.digest("hex"));
  });
});
