import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { pathOf, textOf } from "../../tls/stores.ts";
import { CHIEF } from "../folder.ts";
import { openTls } from "../https-call.ts";
import { BASE } from "./own-targets.ts";
import { ProxyWorld, text } from "./world.ts";

const CA = `gateway.monitor.tls.ca: ${pathOf("root.pem")}\n`;
const HTTPS = `server.ssl.certificate: ${pathOf("rsa.pem")}\nserver.ssl.certificate-private-key: ${pathOf("rsa.key")}\n`;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A monitor over HTTPS that says by which name it was asked, and echoes over WebSockets. */
async function startSecureMonitor(): Promise<number> {
  const server = createServer({ cert: textOf("ec.pem"), key: textOf("ec.key") }, (request, response) =>
    response.end(`secure ${request.headers.host} ${request.headers["x-forwarded-proto"]}`),
  );
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (connection) => connection.on("message", (data) => connection.send(data)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function startBefore(url: string, yaml = ""): Promise<ProxyWorld> {
  const world = new ProxyWorld();
  closing.push(() => world.close());
  await world.open(`gateway.monitor.url: ${url}\n${yaml}`);
  return world;
}

describe("the proxy to a monitor over HTTPS", () => {
  it("trusts it when the configured authority has issued its certificate, whatever Host the caller names", async () => {
    const port = await startSecureMonitor();
    const world = await startBefore(`https://localhost:${port}`, CA);
    for (const host of ["desk.example", "localhost", "127.0.0.1", "other.example"]) {
      await world.exchange(text("GET /x HTTP/1.1", `Host: ${host}`), new RegExp(`secure ${host} http$`));
    }
  });

  it.each([
    ["nobody vouches for it", "localhost", ""],
    ["it has another name than the one configured", "127.0.0.2", CA],
  ])("does not use it when %s: 502, and the log says why", async (_, host, yaml) => {
    const port = await startSecureMonitor();
    const world = await startBefore(`https://${host}:${port}`, yaml);
    await world.exchange(text("GET /x HTTP/1.1", "Host: localhost"), /^HTTP\/1.1 502 /);
    expect(world.folder.logText()).toMatch(/The monitor backend does not respond: .+/);
  });

  it("does not start with an authority without https://", async () => {
    await expect(startBefore("http://localhost:1", CA)).rejects.toThrow(/^gateway\.monitor\.tls\.ca: is of use only/);
  });
});

describe("D-GATE 4: the proxy of a gateway over HTTPS", () => {
  it("forwards requests and WebSockets with the scheme", async () => {
    const world = await startBefore(`https://localhost:${await startSecureMonitor()}`, CA + HTTPS);
    const socket = new WebSocket(`${world.url.replace("https", "wss")}/live`, { ca: textOf("root.pem") });
    await once(socket, "open");
    socket.send("x".repeat(1_000_000));
    expect(String((await once(socket, "message"))[0])).toHaveLength(1_000_000);
    socket.close();
    const connection = await openTls(world.url);
    connection.write(text("GET /x HTTP/1.1", "Host: desk.example", "Connection: close"));
    expect(await received(connection, /secure/)).toMatch(/secure desk\.example https$/);
  });

  it("serves Upgrade: h2c and an upgrade to our own paths as plain requests, time and again", async () => {
    const world = await startBefore(`https://localhost:${await startSecureMonitor()}`, CA + HTTPS);
    const connection = await openTls(world.url);
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    const body = '{"reason":"Drill"}';
    const headers = ["Host: x", `Authorization: ${CHIEF}`, "Connection: upgrade"];
    for (let count = 0; count < 15; count += 1) {
      connection.write(
        `${text(`POST ${BASE}/trading/halt HTTP/1.1`, ...headers, "Upgrade: h2c", "Content-Type: application/json", `Content-Length: ${body.length}`)}${body}`,
      );
      await received(connection, /200 OK[\s\S]*\r\n\r\n$/);
      connection.write(text(`GET ${BASE}/nothing HTTP/1.1`, ...headers, "Upgrade: websocket"));
      await received(connection, /"status":404/);
    }
    connection.destroy();
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });
});

/** What comes until it looks so. */
async function received(socket: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  let come = "";
  const take = (chunk: Buffer): void => {
    come += chunk.toString("latin1");
  };
  socket.on("data", take);
  await expect.poll(() => pattern.test(come)).toEqual(true);
  socket.off("data", take);
  return come;
}
