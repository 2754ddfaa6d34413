import { once } from "node:events";
import { type IncomingMessage, request as startRequest } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../support/ports.ts";
import { ProxyWorld, text } from "./world.ts";

const HOST = "Host: monitor.example";
const PLAIN = "Content-Type: text/plain; charset=utf-8";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(yaml = ""): Promise<ProxyWorld> {
  const world = await ProxyWorld.start(yaml);
  closing.push(() => world.close());
  return world;
}

/** A backend that speaks as it likes: it gets what comes and may write what it likes. */
async function rawBackend(onConnection: (socket: Socket) => void): Promise<{ server: Server; url: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // What was cut is the point.
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(await freePort(), "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function startBefore(url: string, yaml = ""): Promise<ProxyWorld> {
  const world = new ProxyWorld();
  await world.open(`gateway.monitor.url: ${url}\n${yaml}`);
  closing.push(() => world.close());
  return world;
}

describe("D-GATE 2: a monitor backend that is away is 502, one that is too slow 504, in a plain body", () => {
  it("when it refuses connections: 502; the log says it once, and once more when the backend is back", async () => {
    const { server, url } = await rawBackend((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    await new Promise((resolve) => server.close(resolve));
    const world = await startBefore(url);
    const asked = [
      text("GET /a HTTP/1.1", HOST),
      text("HEAD /b HTTP/1.1", HOST),
      `${text("POST /c HTTP/1.1", HOST, "Content-Length: 2")}ok`,
    ];
    const received = await world.exchange(asked.join(""), /(?:502[\s\S]*){3}its response is not valid\n$/);
    expect(received.match(/HTTP\/1.1 502 Bad Gateway/g)).toHaveLength(3);
    expect(received).toContain(PLAIN);
    expect(received).toMatch(/\r\n\r\nThe monitor backend cannot be reached, or its response is not valid\n/);
    expect(received).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/);
    server.listen(Number(new URL(url).port), "127.0.0.1");
    await once(server, "listening");
    await world.exchange(text("GET /a HTTP/1.1", HOST), /ok$/);
    const lines = world.folder.log().filter(({ msg }) => String(msg).startsWith("The monitor backend"));
    expect(lines.map(({ level }) => level)).toEqual(["warn", "info"]);
  });

  it.each([
    ["nothing", ""],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-"],
    ["no HTTP", "220 smtp.example ready\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok"],
    ["a coding that is unknown", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
    ["a status beyond all", "HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n"],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
  ])("when it sends %s in place of a response: 502", async (_, answer) => {
    const { url } = await rawBackend((socket) => {
      socket.once("data", () => socket.end(answer, "latin1"));
    });
    const world = await startBefore(url);
    expect(await world.exchange(text("GET /a HTTP/1.1", HOST), /is not valid\n$/)).toMatch(/^HTTP\/1.1 502 /);
  });

  it("when it is silent: 504, and the backend's connection is closed", async () => {
    const world = await start("gateway.monitor.response-timeout: 200ms\n");
    world.backend.answer = () => {};
    const received = await world.exchange(text("GET /a HTTP/1.1", HOST), /in time\n$/);
    expect(received).toMatch(/^HTTP\/1.1 504 Gateway Timeout\r\n/);
    expect(received).toContain(PLAIN);
    await expect.poll(() => world.backend.connections()).toEqual(0);
  });

  it("when it is silent to Expect: 504, although the body is still to come", async () => {
    const world = await start("gateway.monitor.response-timeout: 200ms\n");
    world.backend.server.on("checkContinue", () => {});
    const headers = text("POST /a HTTP/1.1", HOST, "Expect: 100-continue", "Content-Length: 2");
    expect(await world.exchange(headers, /in time\n$/)).toMatch(/^HTTP\/1.1 504 /);
  });

  it("when it stops reading an upload: 504", async () => {
    const world = await start("gateway.monitor.response-timeout: 200ms\n");
    let paused: IncomingMessage | undefined;
    world.backend.answer = (request) => {
      paused = request.pause();
      request.on("error", () => {});
    };
    const connection = await world.connect();
    connection.write(text("POST /a HTTP/1.1", HOST, "Content-Length: 100000000"));
    connection.write("x".repeat(50_000_000));
    await connection.until(/^HTTP\/1.1 504 /);
    paused?.resume();
    await expect.poll(() => world.backend.connections()).toEqual(0);
  });

  it("unlike a slow caller", async () => {
    const world = await start("gateway.monitor.response-timeout: 1s\n");
    const connection = await world.connect();
    connection.write(`${text("POST /a HTTP/1.1", HOST, "Content-Length: 4")}sl`);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    connection.write("ow");
    await connection.until(/monitor$/);
    expect(world.backend.seen[0]?.body).toBe("slow");
  });

  it("unlike a response that has begun and pauses", async () => {
    const world = await start("gateway.monitor.response-timeout: 1s\n");
    world.backend.answer = (_, response) => {
      response.write("first ");
      setTimeout(() => response.end("second"), 2_500);
    };
    await world.exchange(text("GET /a HTTP/1.1", HOST), /second/);
  });

  it("when a connection does not come about: 504", async () => {
    // The TLS handshake is part of it, and this server says nothing to it.
    const { url } = await rawBackend((socket) => socket.resume());
    const settings = "gateway.monitor.connect-timeout: 200ms\ngateway.monitor.response-timeout: 10m\n";
    const world = await startBefore(url.replace("http:", "https:"), settings);
    expect(await world.exchange(text("GET /a HTTP/1.1", HOST), /in time\n$/)).toMatch(/^HTTP\/1.1 504 /);
  });

  it("when it sends requests back to the gateway: 508, not without end", async () => {
    const world = await start();
    world.backend.answer = (request, response) => {
      const headers = { ...request.headers };
      const again = startRequest(`${world.url}${request.url}`, { headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0);
        answer.pipe(response);
      });
      again.end();
    };
    expect(await world.exchange(text("GET /a HTTP/1.1", HOST), /back to this gateway/)).toMatch(/^HTTP\/1.1 508 /);
  });
});

describe("D-GATE 2: a failure after headers were sent ends the connection, and no response is silently shortened", () => {
  it.each([
    ["with a length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"],
    ["in broken chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\nzz\r\n"],
  ])("after %s", async (_, answer) => {
    const { url } = await rawBackend((socket) => {
      socket.once("data", () => socket.write(answer, () => setTimeout(() => socket.destroy(), 50)));
    });
    const world = await startBefore(url);
    const connection = await world.connect();
    connection.write(text("GET /a HTTP/1.1", HOST));
    await connection.closed();
    expect(connection.received).toMatch(/^HTTP\/1.1 200 OK[\s\S]*short/);
    expect(connection.received).not.toMatch(/\r\n0\r\n\r\n/);
  });
});

describe("D-PKG 4: sockets of the proxy are freed when either side goes away", () => {
  it("when the caller goes away before the response, during it, and during their upload", async () => {
    const world = await start();
    let asked = 0;
    let cut = 0;
    world.backend.answer = (request, response) => {
      asked += 1;
      request.on("error", () => {});
      request.resume();
      response.once("close", () => {
        cut += 1;
      });
      if (request.url === "/during") response.write("x".repeat(1000));
    };
    for (const head of [
      text("GET /before HTTP/1.1", HOST),
      text("GET /during HTTP/1.1", HOST),
      `${text("POST /upload HTTP/1.1", HOST, "Content-Length: 1000")}some`,
      `${text("POST /upload HTTP/1.1", HOST, "Transfer-Encoding: chunked")}4\r\nsome\r\n`,
    ]) {
      const before = asked;
      const connection = await world.connect();
      connection.write(head);
      await expect.poll(() => asked).toEqual(before + 1);
      connection.destroy();
      await expect.poll(() => cut).toEqual(before + 1);
    }
    await expect.poll(() => world.backend.connections()).toEqual(0);
  });

  it("and an upload that breaks off does not look complete to the backend", async () => {
    const world = await start();
    let [asked, aborted] = [false, false];
    world.backend.answer = (request) => {
      asked = true;
      request.on("error", () => {
        aborted = !request.complete;
      });
      request.resume();
    };
    const connection = await world.connect();
    connection.write(`${text("POST /upload HTTP/1.1", HOST, "Transfer-Encoding: chunked")}4\r\nsome\r\n`);
    await expect.poll(() => asked).toBe(true);
    connection.destroy();
    await expect.poll(() => aborted).toEqual(true);
  });

  it("and a response that does not wait for the upload is forwarded, and the caller's connection stays open", async () => {
    const world = await start();
    world.backend.answer = (request, response) => {
      if (request.method === "GET") response.end("next");
      else response.writeHead(413).end("too much");
    };
    const connection = await world.connect();
    connection.write(`${text("POST /upload HTTP/1.1", HOST, "Content-Length: 10")}begin`);
    await connection.until(/413 [\s\S]*too much/);
    connection.write(`again${text("GET /next HTTP/1.1", HOST)}`);
    await connection.until(/next/);
  });

  it("and pipelined requests are forwarded one after the other, and none when the caller is gone", async () => {
    const world = await start();
    const asked: (string | undefined)[] = [];
    world.backend.answer = (request) => asked.push(request.url);
    const connection = await world.connect();
    connection.write(["/1", "/2", "/3"].map((path) => text(`GET ${path} HTTP/1.1`, HOST)).join(""));
    await expect.poll(() => asked).toEqual(["/1"]);
    connection.destroy();
    await expect.poll(() => world.backend.connections()).toEqual(0);
    expect(asked).toEqual(["/1"]);
  });

  it("and a read that meets a connection which the backend is closing is sent again; anything else is 502 (RFC 9112 section 9.3.1)", async () => {
    let connections = 0;
    const { url } = await rawBackend((socket) => {
      connections += 1;
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nonce");
        socket.once("data", () => socket.resetAndDestroy());
      });
    });
    const world = await startBefore(url);
    const connection = await world.connect();
    for (const count of [1, 2, 3]) {
      connection.write(text("GET /read HTTP/1.1", HOST));
      await connection.until(new RegExp(`(?:200 OK[\\s\\S]*){${count}}once$`));
      expect(connections).toBe(count);
    }
    connection.write(`${text("POST /write HTTP/1.1", HOST, "Content-Length: 1")}a`);
    await connection.until(/502 Bad Gateway[\s\S]*is not valid\n$/);
    expect(connections).toBe(3);
  });

  it("and 1,000 requests on one connection leave no listeners and use few connections to the backend", async () => {
    const world = await start();
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    try {
      const connection = await world.connect();
      for (let batch = 0; batch < 20; batch += 1) {
        connection.write(text("GET /x HTTP/1.1", HOST).repeat(50));
        await expect.poll(() => world.backend.seen.length).toEqual(50 * (batch + 1));
      }
      expect(await world.backend.connections()).toBe(1);
    } finally {
      process.off("warning", warned);
    }
    expect(warnings).toEqual([]);
  });
});
