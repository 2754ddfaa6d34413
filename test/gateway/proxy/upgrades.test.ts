import { once } from "node:events";
import { Agent, request as startRequest } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { exchange } from "../connection.ts";
import { CHIEF } from "../folder.ts";
import { BASE, DISGUISED } from "./own-targets.ts";
import { ProxyWorld, text } from "./world.ts";

const HOST = "Host: monitor.example";
/** What Java's client adds to the first request of a connection. */
const H2C = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
];
const WEBSOCKET = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

let world: ProxyWorld;
let sockets: WebSocketServer;
beforeAll(async () => {
  world = await ProxyWorld.start("gateway.monitor.response-timeout: 2s\n");
  sockets = new WebSocketServer({ noServer: true });
  world.backend.server.on("upgrade", (request, socket, head) => {
    world.backend.seen.push({
      ...request,
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: "",
    });
    if (request.url === "/silent") {
      socket.on("error", () => {});
      socket.once("end", () => socket.destroy()).resume();
      return;
    }
    if (request.url === "/refused") {
      socket.end("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n");
    } else {
      sockets.handleUpgrade(request, socket, head, (connection) => {
        connection.on("message", (data, isBinary) => connection.send(data, { binary: isBinary }));
      });
    }
  });
});
afterEach(() => world.backend.reset());
afterAll(async () => {
  sockets.close();
  await world.close();
});

function open(path: string, options = {}): WebSocket {
  return new WebSocket(`${world.url.replace("http", "ws")}${path}`, options);
}

describe("D-GATE 4: WebSocket upgrades are forwarded", () => {
  it("with messages of all sizes in both directions, subprotocol and closing code", async () => {
    const socket = open("/live?x=1", { headers: { "X-Forwarded-For": "6.6.6.6" } });
    await once(socket, "open");
    for (const size of [0, 1, 125, 126, 65_535, 65_536, 3_000_000]) {
      socket.send("x".repeat(size));
      const [data] = await once(socket, "message");
      expect(String(data)).toBe("x".repeat(size));
    }
    socket.close(4001, "enough");
    const [code, reason] = await once(socket, "close");
    expect([code, String(reason)]).toEqual([4001, "enough"]);
    expect(world.backend.seen[0]?.url).toBe("/live?x=1");
    expect(world.backend.seen[0]?.headers).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      connection: "Upgrade",
      upgrade: "websocket",
    });
    await expect.poll(() => world.backend.connections()).toEqual(0);
  });

  it("with the frames that come with the request", async () => {
    const connection = await world.connect();
    const frame = "\x81\x82\x00\x00\x00\x00hi";
    connection.write(`${text("GET /live HTTP/1.1", HOST, ...WEBSOCKET)}${frame}`);
    await connection.until(/hi$/);
    expect(connection.received.endsWith("\r\n\r\n\x81\x02hi")).toBe(true);
    expect(connection.received).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(connection.received).toContain("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
  });

  it("RFC 9112 section 3.2: unless they have two lines of Host: 400", async () => {
    const received = await exchange(world.url, text("GET /live HTTP/1.1", HOST, "Host: other", ...WEBSOCKET));
    expect(received).toMatch(/^HTTP\/1.1 400 [\s\S]*The header Host is there more than once/);
    expect(world.backend.seen).toEqual([]);
  });

  it("D-HTTP 34, D-HTTP 35: unless their Host is not valid (400) or they have more than 1,000 header fields (431)", async () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => `X${index}: 1`);
    const first = "GET /live HTTP/1.1";
    expect(await exchange(world.url, text(first, "Host: a b", ...WEBSOCKET))).toMatch(/^HTTP\/1.1 400 /);
    expect(await exchange(world.url, text(first, HOST, ...fields, ...WEBSOCKET))).toMatch(/^HTTP\/1.1 431 /);
    expect(await exchange(world.url, text(first, HOST, ...WEBSOCKET, ...fields, "Host: b"))).toMatch(/^HTTP\/1.1 431 /);
    expect(world.backend.seen).toEqual([]);
  });

  it("after plain requests on the same connection, also while they are in progress", async () => {
    let answer: (() => void) | undefined;
    world.backend.answer = (_, response) => {
      answer = () => response.end("first");
    };
    const connection = await world.connect();
    connection.write(text("GET /slow HTTP/1.1", HOST) + text("GET /live HTTP/1.1", HOST, ...WEBSOCKET));
    await expect.poll(() => answer !== undefined).toEqual(true);
    answer?.();
    await connection.until(/first[\s\S]*101 Switching Protocols/);
  });

  it("and a response that refuses the upgrade is forwarded whole, and the connection ends", async () => {
    const received = await exchange(world.url, text("GET /refused HTTP/1.1", HOST, ...WEBSOCKET));
    expect(received).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    expect(received).toMatch(/\r\n\r\n2\r\nno\r\n0\r\n\r\n$/);
    expect(received).toContain("Connection: close\r\n");
  });

  it("with 504 if there is no response, and 502 if the backend is away", async () => {
    const late = await exchange(world.url, text("GET /silent HTTP/1.1", HOST, ...WEBSOCKET));
    expect(late).toMatch(/^HTTP\/1.1 504 [\s\S]*did not respond in time\n$/);
    const other = await ProxyWorld.start();
    await other.backend.close();
    const away = await exchange(other.url, text("GET /live HTTP/1.1", HOST, ...WEBSOCKET));
    expect(away).toMatch(/^HTTP\/1.1 502 [\s\S]*its response is not valid\n$/);
    await other.folder.close();
  });

  it("and a caller who goes away before the response frees the backend's connection", async () => {
    for (const leave of ["destroy", "end"] as const) {
      const before = await world.backend.connections();
      const connection = await world.connect();
      connection.write(text("GET /silent HTTP/1.1", HOST, ...WEBSOCKET));
      await expect.poll(() => world.backend.seen.at(-1)?.url).toEqual("/silent");
      if (leave === "destroy") connection.destroy();
      else connection.end();
      await expect.poll(() => world.backend.connections()).toEqual(before);
      world.backend.reset();
    }
  });
});

describe("D-GATE 4: an upgrade to our own paths is handled by the API, never forwarded", () => {
  it.each([`${BASE}/trading/status`, BASE, "/v3/api-docs", "/actuator/health", ...DISGUISED])(
    "in the case of %s",
    async (target) => {
      const connection = await world.connect();
      connection.write(text(`GET ${target} HTTP/1.1`, HOST, ...WEBSOCKET));
      await connection.until(/\r\n\r\n/);
      expect(connection.received).toMatch(target === "/actuator/health" ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 40[01] /);
      expect(world.backend.seen).toEqual([]);
    },
  );

  it("as the plain request that it is, if it has credentials", async () => {
    const connection = await world.connect();
    connection.write(text(`GET ${BASE}/trading/status HTTP/1.1`, HOST, `Authorization: ${CHIEF}`, ...WEBSOCKET));
    await connection.until(/"halted":false/);
    connection.write(text(`GET ${BASE}/nothing HTTP/1.1`, HOST, `Authorization: ${CHIEF}`, ...H2C));
    await connection.until(/"status":404/);
    expect(world.backend.seen).toEqual([]);
  });
});

describe("D-GATE 4: Upgrade: h2c is served as a plain request", () => {
  it("of our API, with a body, and the connection stays open", async () => {
    const connection = await world.connect();
    const body = '{"reason":"Drill"}';
    const headers = [HOST, `Authorization: ${CHIEF}`, "Content-Type: application/json"];
    for (const path of ["/trading/halt", "/trading/resume"]) {
      connection.write(
        `${text(`POST ${BASE}${path} HTTP/1.1`, ...headers, `Content-Length: ${body.length}`, ...H2C)}${body}`,
      );
    }
    await connection.until(/(?:200 OK[\s\S]*){2}\r\n\r\n$/);
    connection.write(text(`GET ${BASE}/trading/status HTTP/1.1`, HOST, `Authorization: ${CHIEF}`));
    await connection.until(/"projectionPath":"","halted":/);
  });

  it("of the monitor, in chunks that come late, and nothing of the upgrade is forwarded", async () => {
    const connection = await world.connect();
    connection.write(`${text("POST /ui HTTP/1.1", HOST, ...H2C, "Transfer-Encoding: chunked")}3\r\nabc\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    connection.write("3\r\ndef\r\n0\r\n\r\n");
    await connection.until(/monitor/);
    expect(world.backend.seen).toMatchObject([{ body: "abcdef", headers: { host: expect.any(String) } }]);
    expect(world.backend.seen[0]?.headers).not.toHaveProperty("upgrade");
    expect(world.backend.seen[0]?.headers).not.toHaveProperty("http2-settings");
  });

  it("that waits for 100 Continue as any upload", async () => {
    const connection = await world.connect();
    connection.write(text("POST /ui HTTP/1.1", HOST, ...H2C, "Expect: 100-continue", "Content-Length: 2"));
    await connection.until(/^HTTP\/1.1 100 Continue/);
    connection.write("ok");
    await connection.until(/monitor/);
  });

  it("and so is any other protocol, a WebSocket by POST or with a body, and a list of protocols", async () => {
    for (const [method, upgrade, ...more] of [
      ["GET", "h2c"],
      ["GET", "TLS/1.0"],
      ["GET", "websocket, h2c"],
      ["POST", "websocket"],
      ["GET", "websocket", "Content-Length: 2"],
    ]) {
      const connection = await world.connect();
      const lines = [HOST, "Connection: upgrade", `Upgrade: ${upgrade}`, ...more];
      connection.write(`${text(`${method} /ui HTTP/1.1`, ...lines)}${more.length > 0 ? "ok" : ""}`);
      await connection.until(/^HTTP\/1.1 200 OK[\s\S]*monitor/);
    }
    expect(world.backend.seen.map(({ headers }) => headers.upgrade)).toEqual(Array(5).fill(undefined));
  });

  it("and a hundred of them on one connection leave no listeners behind", async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let count = 0; count < 100; count += 1) {
        const sent = startRequest(`${world.url}/ui`, {
          agent,
          headers: { Connection: "Upgrade", Upgrade: "h2c" },
        }).end();
        const [answer] = await once(sent, "response");
        answer.resume();
        await once(answer, "end");
      }
    } finally {
      agent.destroy();
      process.off("warning", warned);
    }
    expect(warnings).toEqual([]);
  });
});

describe("D-GATE 5: close ends upgraded connections after the time limit of the server", () => {
  it("which stay open until then, and then both sides are closed", async () => {
    const other = await ProxyWorld.start("admin.engine.request-timeout: 3s\nserver.shutdown.drain-time: 0s\n");
    other.backend.server.on("upgrade", (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (connection) =>
        connection.on("message", (data) => connection.send(data)),
      );
    });
    const socket = new WebSocket(`${other.url.replace("http", "ws")}/live`);
    await once(socket, "open");
    const closed = other.gateway.close();
    const isServed = (): Promise<boolean> => fetch(other.url).then(Boolean, () => false);
    await expect.poll(isServed).toBe(false);
    socket.send("still there");
    expect(String((await once(socket, "message"))[0])).toBe("still there");
    await Promise.all([closed, once(socket, "close")]);
    await expect.poll(() => other.backend.connections()).toEqual(0);
    await other.close();
  });
});
