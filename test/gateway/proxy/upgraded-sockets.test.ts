import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { Gate } from "../../../src/core/load/gate.ts";
import { joinSockets } from "../../../src/gateway/proxy/tunnel.ts";
import { ProxyWorld, text } from "./world.ts";

const CONNECTIONS = 1_000;
const SWITCHED = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
const REQUEST = text("GET /live HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket");

const GATE = new Gate(systemClock);

let world: ProxyWorld;
/** The backend's ends of the upgraded connections. */
const backendEnds = new Set<Duplex>();

beforeAll(async () => {
  world = await ProxyWorld.start();
  world.backend.server.on("upgrade", (_: IncomingMessage, socket: Duplex) => {
    backendEnds.add(socket);
    // What was cut is the point.
    socket.on("error", () => {});
    socket.once("close", () => backendEnds.delete(socket));
    socket.write(SWITCHED);
    socket.resume();
  });
});
afterEach(() => {
  for (const socket of backendEnds) socket.destroy();
});
afterAll(() => world.close());

/** All TCP sockets of this process: the callers', both of the gateway's, and the backend's. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length;
}

async function openUpgraded(): Promise<Socket> {
  const { hostname, port } = new URL(world.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => {});
  socket.write(REQUEST);
  const [head] = await once(socket, "data");
  expect(String(head)).toMatch(/^HTTP\/1.1 101 /);
  return socket.resume();
}

async function openMany(count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, count - sockets.length) }, openUpgraded))));
  }
  return sockets;
}

const CUTS: readonly (readonly [string, (socket: Duplex) => void])[] = [
  ["destroyed", (socket) => socket.destroy()],
  ["reset", (socket) => (socket as Socket).resetAndDestroy()],
  ["ended", (socket) => socket.end()],
];

describe("D-PKG 4: upgraded sockets are freed when a side goes away", () => {
  it.each(CUTS)(
    `after ${CONNECTIONS} connections, ${"%s"} by the caller: no socket is left on either side`,
    async (_, cut) => {
      const before = openSockets();
      const callers = await openMany(CONNECTIONS);
      await expect.poll(() => backendEnds.size).toEqual(CONNECTIONS);
      expect(openSockets()).toBeGreaterThanOrEqual(before + 4 * CONNECTIONS);
      // An end that the other side answers with its own, as a WebSocket does.
      for (const socket of backendEnds) socket.once("end", () => socket.end());
      for (const socket of callers) cut(socket);
      await expect.poll(() => backendEnds.size).toEqual(0);
      await expect.poll(() => openSockets() - before).toBeLessThanOrEqual(0);
    },
  );

  it.each(CUTS)(
    `after ${CONNECTIONS} connections, ${"%s"} by the backend: no socket is left on either side`,
    async (_, cut) => {
      const before = openSockets();
      const callers = await openMany(CONNECTIONS);
      for (const socket of callers) socket.once("end", () => socket.end());
      for (const socket of backendEnds) cut(socket);
      await expect.poll(() => callers.every((socket) => socket.destroyed)).toEqual(true);
      await expect.poll(() => openSockets() - before).toBeLessThanOrEqual(0);
    },
  );

  it("after the caller, who had stopped reading, went away", async () => {
    const before = openSockets();
    const caller = await openUpgraded();
    caller.pause();
    const [backendEnd] = backendEnds;
    const flood = setInterval(() => backendEnd?.write("x".repeat(1_000_000)), 1);
    await expect.poll(() => (backendEnd?.writableLength ?? 0) > 5_000_000).toEqual(true);
    clearInterval(flood);
    caller.resetAndDestroy();
    await expect.poll(() => openSockets() - before).toBeLessThanOrEqual(0);
  });

  it("after what the backend had written was delivered", async () => {
    const caller = await openUpgraded();
    let received = 0;
    caller.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    const [backendEnd] = backendEnds;
    backendEnd?.end("x".repeat(5_000_000));
    await once(caller, "end");
    expect(received).toBe(5_000_000);
    caller.destroy();
  });
});

describe("joined sockets", () => {
  const LONG = { lingerMs: 60_000, stallMs: 60_000 };
  const opened: Socket[] = [];
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
  });

  /** Two ends of one connection, of which neither ends because the other does. */
  async function connection(): Promise<[Socket, Socket]> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const near = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
    const [far] = (await once(server, "connection")) as [Socket];
    server.close();
    for (const socket of [near, far]) socket.on("error", () => {});
    opened.push(near, far);
    return [near, far];
  }

  it("still carry the other direction when one is half closed", async () => {
    const [caller, left] = await connection();
    const [backend, right] = await connection();
    const closed = new Promise<void>((resolve) => joinSockets(left, right, GATE, LONG, resolve));
    caller.end("last words");
    expect(String((await once(backend, "data"))[0])).toBe("last words");
    await once(backend.resume(), "end");
    backend.end("the response to them");
    expect(String((await once(caller, "data"))[0])).toBe("the response to them");
    await closed;
    expect([left.destroyed, right.destroyed]).toEqual([true, true]);
  });

  it("are closed when one has stayed half closed for long enough", async () => {
    const [caller, left] = await connection();
    const [backend, right] = await connection();
    const closed = new Promise<void>((resolve) => joinSockets(left, right, GATE, { ...LONG, lingerMs: 200 }, resolve));
    backend.resume();
    caller.end();
    await closed;
    expect([left.destroyed, right.destroyed]).toEqual([true, true]);
  });

  it("are closed at both far ends when one is destroyed here", async () => {
    const [caller, left] = await connection();
    const [backend, right] = await connection();
    const closed = new Promise<void>((resolve) => joinSockets(left, right, GATE, LONG, resolve));
    left.destroy();
    await Promise.all([once(caller.resume(), "end"), once(backend.resume(), "end")]);
    await closed;
  });

  it("are closed when the other side has taken nothing for long enough", async () => {
    const [, left] = await connection();
    const [backend, right] = await connection();
    const closed = new Promise<void>((resolve) => joinSockets(left, right, GATE, { ...LONG, stallMs: 200 }, resolve));
    // Quiet for longer than that is not a reason to close.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(left.destroyed).toBe(false);
    backend.write("x".repeat(20_000_000));
    await expect.poll(() => left.writableNeedDrain).toEqual(true);
    backend.resetAndDestroy();
    await closed;
    expect([left.destroyed, right.destroyed]).toEqual([true, true]);
  });
});
