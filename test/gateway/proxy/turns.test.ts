import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { Gate, type Job } from "../../../src/core/load/gate.ts";
import { MonitorProxy } from "../../../src/gateway/proxy/monitor-proxy.ts";
import { CallerAddresses } from "../../../src/http/client-address.ts";
import { text } from "./world.ts";

const UPGRADE = text("GET /live HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket");
const SWITCHED = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

/** Jobs of the gate, which have no turn until the test gives it. */
let waiting: Job[] = [];
const monitor = createServer();
const front = createServer();
const callers: Socket[] = [];
let proxy: MonitorProxy;
/** The ends of the latest upgraded connection. */
let frontEnd: Socket | undefined;
let toMonitor: Socket | undefined;
let monitorEnd: Socket | undefined;

const connected = (message: unknown): void => {
  toMonitor = (message as { socket: Socket }).socket;
};
subscribe("net.client.socket", connected);
afterAll(() => unsubscribe("net.client.socket", connected));

beforeEach(async () => {
  for (const server of [monitor, front]) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  // What an earlier test's connections still ask for when they close is not of this one.
  const jobs: Job[] = [];
  waiting = jobs;
  frontEnd = undefined;
  toMonitor = undefined;
  monitorEnd = undefined;
  const gate = new Gate(systemClock);
  vi.spyOn(gate, "schedule").mockImplementation((_caller, _priority, job) => void jobs.push(job));
  proxy = new MonitorProxy({
    url: new URL(`http://127.0.0.1:${(monitor.address() as AddressInfo).port}`),
    ca: undefined,
    gate,
    connectTimeoutMs: 5_000,
    responseTimeoutMs: 200,
    forwarding: { callers: new CallerAddresses(), header: "X-Forwarded-For" },
    isOurs: () => false,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const serve = proxy.serve(() => {});
  front.on("request", (request: IncomingMessage, response: ServerResponse) => serve(request, response));
  front.on("upgrade", (request, socket: Socket, head) => {
    frontEnd = socket.on("error", () => {});
    proxy.takeUpgrade(request, socket, head);
  });
  monitor.on("upgrade", (_request, socket: Socket) => {
    monitorEnd = socket.on("error", () => {});
    socket.write(SWITCHED);
  });
});

afterEach(async () => {
  for (const caller of callers.splice(0)) caller.destroy();
  monitorEnd?.destroy();
  proxy.close();
  for (const server of [monitor, front]) {
    server.removeAllListeners("request").removeAllListeners("upgrade");
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

/** Sends a request; what is received is gathered. */
function send(request: string): { readonly socket: Socket; readonly received: () => string } {
  const socket = connect((front.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  callers.push(socket);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes;
  });
  socket.write(request);
  return { socket, received: () => received };
}

/** Not once(): a reset is an error, too. */
function closed(socket: Socket | undefined): Promise<unknown> {
  return new Promise((resolve) => socket?.once("close", resolve));
}

function takeTurns(): void {
  for (let job = waiting.shift(); job; job = waiting.shift()) job();
}

it("D-LOAD 2: a switch of protocols is handed on at a turn", async () => {
  const { received } = send(UPGRADE);
  await expect.poll(() => waiting.length).toBeGreaterThan(0);
  expect(received()).toBe("");
  takeTurns();
  await expect.poll(received).toMatch(/^HTTP\/1.1 101 /);
});

it("D-LOAD 2: whose caller has left before its turn costs the monitor no connection", async () => {
  const { socket } = send(UPGRADE);
  await expect.poll(() => waiting.length).toBeGreaterThan(0);
  const ended = once(monitorEnd?.resume() as Socket, "end");
  socket.resetAndDestroy();
  await closed(frontEnd);
  takeTurns();
  await ended;
});

it("D-LOAD 2: that the monitor has cut before its turn is a failure", async () => {
  const { received } = send(UPGRADE);
  await expect.poll(() => waiting.length).toBeGreaterThan(0);
  monitorEnd?.resetAndDestroy();
  await closed(toMonitor);
  takeTurns();
  await expect.poll(received).toMatch(/^HTTP\/1.1 502 /);
});

it("D-LOAD 2: the end of the monitor's time is noticed at a turn, unless it has answered before", async () => {
  const { received } = send(text("GET /slow HTTP/1.1", "Host: x"));
  await expect.poll(() => waiting.length).toBeGreaterThan(0);
  expect(received()).toBe("");
  takeTurns();
  await expect.poll(received).toMatch(/^HTTP\/1.1 504 /);
});
