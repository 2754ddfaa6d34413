import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, get, type Server as SecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectSecurely } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { anonymousCaller } from "../../src/core/load/caller-queue.ts";
import { heldBytesQuota } from "../../src/core/load/held-bytes.ts";
import { Quota } from "../../src/core/load/quota.ts";
import { operations } from "../../src/core/operations/table.ts";
import { stopMatcher } from "../../src/http/guard/request.ts";
import { adminHandler, type GuardOptions, guardServer, type NodeListener } from "../../src/http/node.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { nextTurn } from "../core/gate-world.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { liveHeap } from "../support/heap.ts";
import { restOfOthers } from "../support/rest-of-others.ts";
import { textOf } from "../tls/stores.ts";

const CHIEF = `Authorization: ${credentials("chief")}\r\n`;
const STATUS = "GET /api/admin/v1/trading/status HTTP/1.1\r\nHost: a\r\n";

const READ = `${STATUS}${CHIEF}\r\n`;

/** What Node reads from a connection at a time, at most. */
const READ_BYTES = 64 * 1024;

interface GuardedWorld {
  readonly rig: TestRig;
  readonly server: Server;
  readonly port: number;
}

/** The API on a host's own server, which is guarded by one line; `where` is a port or the path of a Unix socket. */
async function open(
  create: (handler: NodeListener) => Server = createServer,
  where: string | number = 0,
  { maxBodyBytes, ...guard }: GuardOptions & { readonly maxBodyBytes?: number } = {},
): Promise<GuardedWorld> {
  const rig = await startTestRig();
  const authentication = await openSuiteAuthentication();
  const { authenticator } = authentication;
  const handler = adminHandler(rig.api, { authenticator, ...guard, ...(maxBodyBytes && { maxBodyBytes }) });
  const server = guardServer(create(handler), rig.api, guard);
  const place = typeof where === "string" ? { path: where } : { port: where, host: "127.0.0.1" };
  await new Promise<void>((resolve) => server.listen(place, resolve));
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    authentication.close();
    await rig.close();
  });
  return { rig, server, port: (server.address() as AddressInfo).port };
}

/** A connection and all that has come over it. */
class Caller {
  readonly socket: Socket;
  #text = "";
  ended = false;

  constructor(where: number | string, isSecure = false) {
    if (isSecure) this.socket = connectSecurely({ port: Number(where), host: "127.0.0.1", rejectUnauthorized: false });
    else this.socket = typeof where === "string" ? connect(where) : connect(where, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text: string) => {
      this.#text += text;
    });
    this.socket.on("end", () => {
      this.ended = true;
    });
    this.socket.on("error", () => {});
    onTestFinished(() => void this.socket.destroy());
  }

  get statuses(): string[] {
    return [...this.#text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = ""]) => status);
  }

  get last(): string {
    return this.#text.slice(this.#text.lastIndexOf("HTTP/1.1 "));
  }

  async untilStatuses(count: number): Promise<string[]> {
    await expect.poll(() => this.statuses.length).toBe(count);
    return this.statuses;
  }
}

function createTlsServer(handler: NodeListener): SecureServer {
  return createSecureServer({ cert: textOf("ec.pem"), key: textOf("ec.key") }, handler);
}

/** The status of a halt over its own connection. */
function secureStatus(port: number): Promise<number | undefined> {
  const options = { agent: false, ca: textOf("root.pem"), headers: { authorization: credentials("chief") } };
  return new Promise((resolve, reject) => {
    const url = `https://localhost:${port}/api/admin/v1/trading/halt`;
    const sent = get(url, { ...options, method: "POST" }, (response) => resolve(response.resume().statusCode));
    sent.on("error", reject);
  });
}

async function plainStatus(port: number): Promise<number> {
  const caller = new Caller(port);
  caller.socket.write(`POST /api/admin/v1/trading/halt HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Length: 0\r\n\r\n`);
  return Number((await caller.untilStatuses(1))[0]);
}

describe("D-LOAD 2: behind a request whose Upgrade is ignored", () => {
  it.each([
    ["plain", createServer],
    ["TLS", createTlsServer],
  ] as const)("no more requests of the connection are in progress than otherwise: %s", async (name, create) => {
    let inProgress = 0;
    let most = 0;
    const { port } = await open((handler) =>
      create((request, response) => {
        inProgress += 1;
        most = Math.max(most, inProgress);
        // Before the guard continues with the next.
        response.prependOnceListener("close", () => {
          inProgress -= 1;
        });
        handler(request, response);
      }),
    );
    const caller = new Caller(port, name === "TLS");
    const status = `${STATUS}${CHIEF}`;
    caller.socket.write(`${status}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${`${status}\r\n`.repeat(60)}`);
    expect(new Set(await caller.untilStatuses(61))).toEqual(new Set(["200"]));
    expect(most).toBeLessThanOrEqual(4);
  });
});

describe("D-LOAD 2: everything that a connection brings is parsed when it is its caller's turn", () => {
  it("a request is answered however it is cut into pieces", async () => {
    const { port } = await open();
    const text = `${STATUS}${CHIEF}\r\nPOST /api/admin/v1/trading/halt HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{"reason":"bye"}${STATUS}${CHIEF}\r\n`;
    for (const size of [1, 7, 64, text.length]) {
      const caller = new Caller(port);
      for (let at = 0; at < text.length; at += size) {
        caller.socket.write(text.slice(at, at + size));
        if (size < 64) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await caller.untilStatuses(3)).toEqual(["200", "200", "200"]);
    }
  });

  it("bodies with a length, in chunks, and with what looks like heads in them are read to the end", async () => {
    const { port, rig } = await open();
    const caller = new Caller(port);
    const reason = JSON.stringify({ reason: "a\\r\\n\\r\\nGET / HTTP/1.1".padEnd(900, "x") });
    const head = `POST /api/admin/v1/trading/halt HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Type: application/json\r\n`;
    caller.socket.write(`${head}Content-Length: ${reason.length}\r\n\r\n${reason}`);
    const chunks = [...reason].map((character) => `1\r\n${character}\r\n`).join("");
    caller.socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    const blank = JSON.stringify({ projection: "" }) + "\r\n\r\n".repeat(20_000);
    caller.socket.write(
      `POST /api/admin/v1/positions HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Type: application/json\r\nContent-Length: ${blank.length}\r\n\r\n${blank}`,
    );
    caller.socket.write(`${STATUS}${CHIEF}\r\n`);
    expect(await caller.untilStatuses(4)).toEqual(["200", "200", "400", "200"]);
    expect(rig.audit.records.filter(({ stage }) => stage === "applied")).toHaveLength(2);
  });

  it.each([
    ["a read is not even parsed", "GET /api/admin/v1/trading/status", 0],
    ["D-LOGIN 11: a stop is carried out", "POST /api/admin/v1/trading/halt", 1],
  ])("of a caller that resets its connection while it waits %s", async (_, line, received) => {
    const { port, rig } = await open();
    const { socket } = new Caller(port);
    await once(socket, "connect");
    await pause(20);
    const workGoesOn = await restOfOthers(rig);
    socket.write(`${line} HTTP/1.1\r\nHost: a\r\n${CHIEF}\r\n`, () => socket.resetAndDestroy());
    await pause(100);
    workGoesOn();
    await pause(100);
    await expect.poll(() => rig.received().length).toBe(received);
  });

  it("a stop with a body that no stop needs waits for its turn from then on; others go first meanwhile", async () => {
    let bytes = 0;
    const create = (handler: NodeListener): Server =>
      createServer((request, response) => {
        const push = request.push.bind(request);
        request.push = (chunk: Buffer | null) => {
          bytes += chunk?.length ?? 0;
          return push(chunk);
        };
        handler(request, response);
      });
    const { port, rig } = await open(create, 0, { maxBodyBytes: 1024 * 1024 });
    const [long, longer] = [20_000, 900_000].map((length) => {
      const body = JSON.stringify({ reason: "x".repeat(length) });
      const head = `POST /api/admin/v1/trading/halt HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Type: application/json\r\n`;
      return { caller: new Caller(port), text: `${head}Content-Length: ${body.length}\r\n\r\n${body}` };
    });
    const workGoesOn = await restOfOthers(rig);
    for (const stop of [long, longer]) stop?.caller.socket.write(stop.text);
    expect(await plainStatus(port)).toBe(200);
    await pause(50);
    expect([long, longer].map((stop) => stop?.caller.statuses)).toEqual([[], []]);
    expect(bytes).toBeLessThan(200_000);
    workGoesOn();
    for (const stop of [long, longer]) expect(await stop?.caller.untilStatuses(1)).toEqual(["400"]);
    expect(bytes).toBeGreaterThan(900_000);
  });

  it("requests that wait on a Unix socket are answered, as a proxy on the same machine may send them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "trading-admin-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "admin.socket");
    const { rig } = await open(createServer, path);
    const caller = new Caller(path);
    await once(caller.socket, "connect");
    const workGoesOn = await restOfOthers(rig);
    caller.socket.write(`${STATUS}${CHIEF}\r\n`);
    await pause(50);
    expect(caller.statuses).toEqual([]);
    workGoesOn();
    expect(await caller.untilStatuses(1)).toEqual(["200"]);
  });

  it("a server without Node's own listener is refused immediately, not left unguarded", async () => {
    const rig = await startTestRig();
    onTestFinished(() => rig.close());
    const server = createServer().removeAllListeners("connection");
    expect(() => guardServer(server, rig.api)).toThrow('whose own "connection" listener is in place');
  });

  it("a caller that sends its last request and ends its side is answered", async () => {
    const { port } = await open();
    const caller = new Caller(port);
    caller.socket.end(`${STATUS}Connection: close\r\n${CHIEF}\r\n`);
    expect(await caller.untilStatuses(1)).toEqual(["200"]);
  });

  it("D-LOAD 8: a caller that pipelines more than a few requests is served those, told so, and closed", async () => {
    const { port } = await open();
    const caller = new Caller(port);
    caller.socket.write(`${STATUS}\r\n`.repeat(2_000));
    await expect.poll(() => caller.ended).toBe(true);
    expect(caller.statuses.length).toBeGreaterThanOrEqual(64);
    expect(caller.statuses.length).toBeLessThan(120);
    expect(caller.last).toContain("Connection: close");
    const next = new Caller(port);
    next.socket.write(`${STATUS}${CHIEF}\r\n`.repeat(60));
    expect(await next.untilStatuses(60)).toEqual(Array(60).fill("200"));
  });

  it("D-LOAD 8: what still comes then is discarded, one read of all such connections in a turn", async () => {
    const { port, server } = await open();
    const accepted: Socket[] = [];
    server.on("connection", (socket: Socket) => accepted.push(socket));
    const bytesRead = (): number => accepted.reduce((sum, socket) => sum + socket.bytesRead, 0);
    const sent = `${STATUS}\r\n`.repeat(2_000) + "x".repeat(4 * 2 ** 20);
    const callers = Array.from({ length: 3 }, () => new Caller(port));
    for (const { socket } of callers) socket.write(sent);
    let most = 0;
    for (let turn = 0; bytesRead() < callers.length * sent.length && turn < 100_000; turn += 1) {
      const areClosing = accepted.every(({ writableEnded }) => writableEnded);
      const before = bytesRead();
      await new Promise((resolve) => setImmediate(resolve));
      if (areClosing) most = Math.max(most, bytesRead() - before);
    }
    expect(bytesRead()).toBe(callers.length * sent.length);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(READ_BYTES);
  });

  it("garbage is refused as without the guard, and other connections continue", async () => {
    const { port } = await open();
    const caller = new Caller(port);
    caller.socket.write("NO HTTP\r\n\r\n");
    expect(await caller.untilStatuses(1)).toEqual(["400"]);
    const next = new Caller(port);
    next.socket.write(`${STATUS}${CHIEF}\r\n`);
    expect(await next.untilStatuses(1)).toEqual(["200"]);
  });

  it("a connection that another protocol takes over is out of the guard, with what has come behind its request", async () => {
    const { port, server } = await open();
    server.on("upgrade", (_request, socket, head: Buffer) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
      if (head.length > 0) socket.unshift(head);
      socket.on("data", (data: Buffer) => socket.write(data));
    });
    const caller = new Caller(port);
    const line = `${"x".repeat(10_000)}\r\n\r\n`;
    caller.socket.write(`GET /live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n${line}${line}`);
    await pause(20);
    caller.socket.write("end of it");
    await expect.poll(() => caller.last.endsWith("end of it")).toBe(true);
    expect(caller.last.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe(`${line}${line}end of it`);
  });

  it("and waits for its turns all the same, whatever its bytes look like", async () => {
    const { port, server, rig } = await open();
    const received: string[] = [];
    server.on("upgrade", (_request, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
      socket.on("data", (data: Buffer) => received.push(data.toString()));
      socket.on("end", () => received.push("end"));
    });
    const caller = new Caller(port);
    caller.socket.write("GET /live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
    await caller.untilStatuses(1);
    const workGoesOn = await restOfOthers(rig);
    caller.socket.end("POST /api/admin/v1/trading/halt HTTP/1.1\r\n");
    await pause(50);
    expect(received).toEqual([]);
    workGoesOn();
    await expect.poll(() => received.join("")).toBe("POST /api/admin/v1/trading/halt HTTP/1.1\r\nend");
  });

  it("what waits is not read: a caller that floods has to wait, and its bytes do not fill the memory", async () => {
    const { port, rig } = await open();
    const callers = Array.from({ length: 20 }, () => new Caller(port));
    rig.gate.hold();
    for (const { socket } of callers) {
      const body = "x".repeat(60_000);
      const one = `POST /api/admin/v1/positions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      socket.write(one.repeat(15));
    }
    for (const caller of callers) await caller.untilStatuses(15);
    expect(callers.flatMap(({ statuses }) => statuses).every((status) => status === "401")).toBe(true);
  });
});

describe("D-LOAD 2: while a request waits for its turn", () => {
  const RESUME = `POST /api/admin/v1/trading/resume HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Length: 0\r\n\r\n`;
  const HALT = RESUME.replace("resume", "halt");

  /** A caller that has logged in, and the server's side of its connection. */
  async function loggedIn(server: Server, port: number): Promise<{ caller: Caller; socket: Socket }> {
    const caller = new Caller(port);
    const [socket] = (await once(server, "connection")) as [Socket];
    caller.socket.write(READ);
    await caller.untilStatuses(1);
    return { caller, socket };
  }

  it.each([
    ["a single small read is dropped", READ, true, []],
    ["a command is not, nor what comes behind it", RESUME, false, ["resumeTrading"]],
    ["nor is a stop behind a read", `${READ}${HALT}`, false, ["getTradingStatus", "haltTrading"]],
    ["nor is a stop behind the read of a moment before", [READ, HALT], false, ["getTradingStatus", "haltTrading"]],
  ] as const)("and its caller resets the connection, %s", async (_what, sent, isNoticed, carriedOut) => {
    const { port, server, rig } = await open();
    const { caller, socket } = await loggedIn(server, port);
    const proceed = await restOfOthers(rig);
    const before = rig.received().length;
    for (const text of [sent].flat()) {
      const { bytesRead } = socket;
      caller.socket.write(text);
      await expect.poll(() => socket.bytesRead - bytesRead).toBe(text.length);
    }
    caller.socket.resetAndDestroy();
    if (isNoticed) await expect.poll(() => socket.destroyed).toBe(true);
    else await pause(50);
    proceed();
    const last = new Caller(port);
    last.socket.write(READ.replace("/trading/status", "/services"));
    await last.untilStatuses(1);
    const received = (): string[] =>
      rig
        .received()
        .slice(before)
        .map(({ method }) => method);
    await expect.poll(received).toEqual(expect.arrayContaining(["listServices", ...carriedOut]));
    expect(received()).toHaveLength(carriedOut.length + 1);
  });

  const LIST =
    `POST /api/admin/v1/positions HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Type: application/json\r\nContent-Length: 28\r\n\r\n{"projection":"Account/Symb"}`.replace(
      "Content-Length: 28",
      "Content-Length: 29",
    );

  it("a stop goes first that follows a request with a body", async () => {
    const { port, server, rig } = await open();
    const { caller } = await loggedIn(server, port);
    caller.socket.write(LIST);
    await caller.untilStatuses(2);
    const proceed = await restOfOthers(rig);
    caller.socket.write(HALT);
    expect((await caller.untilStatuses(3)).at(-1)).toBe("200");
    proceed();
  });

  it("a read that follows a stop with a body is not a stop, neither in its turn nor for its user's priority", async () => {
    const { port, server, rig } = await open();
    const { caller } = await loggedIn(server, port);
    const halt = HALT.replace(
      "Content-Length: 0\r\n\r\n",
      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    );
    for (let pair = 1; pair <= 11; pair += 1) {
      caller.socket.write(halt);
      await caller.untilStatuses(3 * pair - 1);
      caller.socket.write(`${READ}${READ.replace("trading/status", "elsewhere")}`);
      await caller.untilStatuses(3 * pair + 1);
    }
    expect(rig.api.gate.stopPriority.priority("chief")).toBe("stop");
    const proceed = await restOfOthers(rig);
    caller.socket.write(halt);
    const before = caller.statuses.length;
    await caller.untilStatuses(before + 1);
    caller.socket.write(READ);
    await pause(50);
    expect(caller.statuses).toHaveLength(before + 1);
    proceed();
    await caller.untilStatuses(before + 2);
  });

  it.each([
    ["in two pieces", [HALT.slice(0, -20), HALT.slice(-20)]],
    ["with the end of a line by itself", HALT.split(/(?=\r\nHost)|(?<=1\.1\r\n)/)],
    ["behind the empty lines that may precede it", [`\r\n\r\n${HALT}`]],
  ])("a stop goes first, %s", async (_what, pieces) => {
    const { port, server, rig } = await open();
    const { caller, socket } = await loggedIn(server, port);
    const proceed = await restOfOthers(rig);
    for (const piece of pieces) {
      const { bytesRead } = socket;
      caller.socket.write(piece);
      await expect.poll(() => socket.bytesRead - bytesRead).toBe(piece.length);
    }
    expect(await caller.untilStatuses(2)).toEqual(["200", "200"]);
    proceed();
  });

  it.each([
    ["over a connection that is open", true, RESUME.length],
    ["over a new one", false, RESUME.length],
    ["in two pieces", true, RESUME.length - 20],
  ])("D-LOAD 1: a change that arrived before a stop does not come after it, %s", async (_what, isOpen, length) => {
    const { port, server, rig } = await open();
    const connected = once(server, "connection");
    const caller = new Caller(port);
    const [socket] = (await connected) as [Socket];
    if (isOpen) caller.socket.write(READ);
    const begun = isOpen ? 1 : 0;
    await caller.untilStatuses(begun);
    const { bytesRead } = socket;
    const send = async (text: string): Promise<void> => {
      caller.socket.write(text);
      await expect.poll(() => socket.bytesRead - bytesRead).toBeGreaterThanOrEqual(text.length);
    };
    // What comes first of two pieces is parsed immediately, and nothing begins with it.
    if (length < RESUME.length) await send(RESUME.slice(0, length));
    const proceed = await restOfOthers(rig);
    if (length === RESUME.length) await send(RESUME);
    expect(caller.statuses).toHaveLength(begun);
    expect(await plainStatus(port)).toBe(200);
    if (length < RESUME.length) caller.socket.write(RESUME.slice(length));
    proceed();
    expect((await caller.untilStatuses(begun + 1)).at(-1)).toBe("429");
    expect(caller.last).toContain("A stop (haltTrading of everything) was asked for after this change");
    expect(rig.received().filter(({ method }) => method === "resumeTrading")).toEqual([]);
  });

  it("bytes that wait count for the user who has logged in over their connection, until it ends", async () => {
    const taking = vi.spyOn(Quota.prototype, "take");
    onTestFinished(() => taking.mockRestore());
    const { port, server, rig } = await open();
    const { caller, socket } = await loggedIn(server, port);
    const held = (): number => {
      const quotas = (taking.mock.contexts as Quota[]).filter(({ max }) => max === heldBytesQuota().max);
      return Math.max(0, ...quotas.map((quota) => quota.takenBy("chief")));
    };
    const proceed = await restOfOthers(rig);
    caller.socket.write(RESUME);
    await expect.poll(held).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(held).toBe(0);
    proceed();
  });

  it("as many bytes of an origin wait as its share allows; its next connection is closed, a kept one too, but one with a stop", async () => {
    const { port, server, rig } = await open();
    // A kept connection ends only because there is no room.
    server.keepAliveTimeout = 0;
    const [reader, stopper] = [new Caller(port), new Caller(port)];
    for (const caller of [reader, stopper]) {
      caller.socket.write(`${STATUS}\r\n`);
      expect(await caller.untilStatuses(1)).toEqual(["401"]);
    }
    const proceed = await restOfOthers(rig);
    let waiting = 0;
    const isClosed = async (size: number): Promise<boolean> => {
      const accepted = once(server, "connection");
      new Caller(port).socket.write(Buffer.alloc(size, STATUS));
      const [socket] = (await accepted) as [Socket];
      while (socket.bytesRead === 0) await nextTurn();
      if (!socket.destroyed) waiting += socket.bytesRead;
      return socket.destroyed;
    };
    // To the last bytes: not even a small request has room.
    for (const size of [READ_BYTES, 4_096, 256, 32]) while (!(await isClosed(size)));
    expect(Math.ceil(waiting / 1_024)).toBe(32 * 1_024);
    expect(await plainStatus(port)).toBe(200);
    stopper.socket.write(HALT);
    expect((await stopper.untilStatuses(2)).at(-1)).toBe("200");
    reader.socket.write(READ);
    await expect.poll(() => reader.socket.closed).toBe(true);
    expect(reader.statuses).toEqual(["401"]);
    proceed();
  });
});

describe("D-LOAD 2: TLS handshakes", () => {
  it("begin while other work rests, since the connection may bring a stop", async () => {
    const { port, rig } = await open(createTlsServer);
    rig.api.gate.announceConnection();
    // The clock is held, so this rest has no end.
    rig.api.gate.schedule("mallory", "other", () => rig.clock.advance(10));
    expect(await secureStatus(port)).toBe(200);
  });

  it("of one origin begin in every fourth turn while connections arrive, so that all of these are accepted soon; the newest first", async () => {
    const { port, server } = await open(createTlsServer);
    const begun = new Set<number | undefined>();
    server.on("keylog", (_line, { remotePort }: Socket) => begun.add(remotePort));
    const accepted: Socket[] = [];
    const begunWhenAccepted = new Promise<number>((resolve) => {
      server.on("connection", (socket: Socket) => {
        accepted.push(socket);
        if (accepted.length === 60) resolve(begun.size);
      });
    });
    const statuses = Array.from({ length: 60 }, () => secureStatus(port));
    expect(await begunWhenAccepted).toBeLessThanOrEqual(15);
    const lastPort = accepted.at(-1)?.remotePort;
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    expect([...begun].indexOf(lastPort)).toBeLessThan(30);
  });

  it("and also while a stop is in progress", async () => {
    const { port, server, rig } = await open(createTlsServer);
    const stopEnds = rig.api.gate.announceStop("chief");
    let turn = 0;
    let counts = true;
    const count = (): void => {
      turn += 1;
      if (counts) setImmediate(count);
    };
    count();
    const begun = new Map<number | undefined, number>();
    server.on("keylog", (_line, { remotePort }: Socket) => {
      if (!begun.has(remotePort)) begun.set(remotePort, turn);
    });
    await Promise.all(Array.from({ length: 20 }, () => secureStatus(port)));
    counts = false;
    stopEnds();
    const turns = [...begun.values()];
    const gaps = turns.slice(1).map((at, index) => at - (turns[index] ?? 0));
    expect(gaps).toHaveLength(19);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3);
  });
});

describe("D-LOAD 2: a connection is served from its first bytes on", () => {
  const sites = [
    { over: "plain", create: createServer, call: plainStatus },
    { over: "TLS", create: createTlsServer, call: secureStatus },
  ];

  /** A world, and the connections that its server has begun to serve. */
  async function openCounting(create: (handler: NodeListener) => Server): Promise<GuardedWorld & { served: Socket[] }> {
    const served: Socket[] = [];
    const world = await open((handler) => {
      const own = create(handler);
      const [serve] = own.listeners("connection");
      return own.removeAllListeners("connection").on("connection", function (this: Server, socket: Socket) {
        served.push(socket);
        serve?.call(this, socket);
      });
    });
    return { ...world, served };
  }

  it.each(sites)("over $over, one that ends, is reset or says nothing costs no more than that", async (site) => {
    const { port, server, served } = await openCounting(site.create);
    server.headersTimeout = 200;
    const [ending, reset, silent] = [new Caller(port), new Caller(port), new Caller(port)];
    ending.socket.once("connect", () => ending.socket.end());
    reset.socket.once("connect", () => reset.socket.resetAndDestroy());
    expect(await site.call(port)).toBe(200);
    await expect.poll(() => ending.ended && silent.ended).toBe(true);
    expect(served).toHaveLength(1);
  });

  it("at its turn: while other work rests only one with a stop is", async () => {
    const { port, server, served, rig } = await openCounting(createServer);
    const proceed = await restOfOthers(rig);
    const waiting = new Caller(port);
    const [socket] = (await once(server, "connection")) as [Socket];
    waiting.socket.write(`${STATUS}${CHIEF}\r\n`);
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
    expect([await plainStatus(port), served.length]).toEqual([200, 1]);
    proceed();
    expect([await waiting.untilStatuses(1), served.length]).toEqual([["200"], 2]);
  });

  it.each([
    ["behind a request", `${STATUS}${CHIEF}\r\n`, 1],
    ["with nothing said", "", 0],
  ])("and at a turn its end counts, as thousands may end together: %s", async (_what, request, statuses) => {
    const { port, server, rig } = await open();
    const caller = new Caller(port);
    const [socket] = (await once(server, "connection")) as [Socket];
    caller.socket.write(request);
    await caller.untilStatuses(statuses);
    const proceed = await restOfOthers(rig);
    caller.socket.end();
    await pause(50);
    expect([caller.ended, socket.destroyed]).toEqual([false, false]);
    proceed();
    await expect.poll(() => caller.ended).toBe(true);
  });

  it.each([
    ["nor is one that is reset behind its request", "/trading/resume", 0, 0],
    ["unless that asks for a stop", "/trading/halt", 0, 1],
    ["and its address has not had ten of them refused", "/trading/halt", 10, 0],
  ])("%s", async (_what, path, refused, expected) => {
    const { port, server, served, rig } = await openCounting(createServer);
    for (let stop = 0; stop < refused; stop += 1) rig.api.gate.stopPriority.refused(anonymousCaller("127.0.0.1"));
    const caller = new Caller(port);
    const [socket] = (await once(server, "connection")) as [Socket];
    const request = `POST /api/admin/v1${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`;
    caller.socket.write(request, () => caller.socket.resetAndDestroy());
    await expect.poll(() => socket.destroyed).toBe(true);
    expect(served).toHaveLength(expected);
  });

  it.each(sites)("over $over, closeAllConnections closes silent ones, too", async ({ create }) => {
    const { port, server } = await open(create);
    const silent = new Caller(port);
    await once(server, "connection");
    server.closeAllConnections();
    await expect.poll(() => silent.ended).toBe(true);
  });
});

describe("D-LOAD 2: refused stops go first until there are too many of them", () => {
  it.each([
    ["without credentials", anonymousCaller("127.0.0.1"), "", "", "401"],
    ["with an unknown field", "chief", `${CHIEF}Content-Type: application/json\r\n`, '{"unknown":1}', "400"],
    ["with a body of another kind", "chief", `${CHIEF}Content-Type: text/plain\r\n`, "no reason", "415"],
  ])("%s: each counts once", async (_what, refused, headers, body, status) => {
    const { port, rig } = await open();
    const caller = new Caller(port);
    const line = "POST /api/admin/v1/trading/halt HTTP/1.1\r\nHost: a\r\n";
    for (let count = 1; count <= 10; count += 1) {
      caller.socket.write(`${line}${headers}Content-Length: ${body.length}\r\n\r\n${body}`);
      expect(await caller.untilStatuses(count)).toEqual(Array(count).fill(status));
      expect(rig.api.gate.stopPriority.priority(refused)).toBe(count < 10 ? "stop" : "other");
    }
  });

  it.each([
    ["rejected", "400"],
    ["not-found", "404"],
  ] as const)("but not one that the engine refuses as %s", async (refusal, status) => {
    const { port, rig } = await open();
    rig.gate.replyWith(() => ({ ok: false, refusal, message: "The engine says no" }));
    const caller = new Caller(port);
    for (let count = 1; count <= 11; count += 1) {
      caller.socket.write(`POST /api/admin/v1/trading/halt HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Length: 0\r\n\r\n`);
      expect(await caller.untilStatuses(count)).toEqual(Array(count).fill(status));
    }
    expect(caller.last).toContain("The engine says no");
    expect(rig.api.gate.stopPriority.priority("chief")).toBe("stop");
  });
});

describe("D-LOAD 2: whoever only pretends to ask for stops loses their priority", () => {
  const ENDING = `HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`;

  it("by paths that look like those of stops and are none", async () => {
    const { port, rig } = await open();
    const caller = new Caller(port);
    const { stopPriority } = rig.api.gate;
    for (let count = 1; count <= 10; count += 1) {
      expect(stopPriority.priority(anonymousCaller("127.0.0.1"))).toBe("stop");
      caller.socket.write(`POST /elsewhere/trading/halt ${ENDING}`);
      expect(await caller.untilStatuses(count)).toEqual(Array(count).fill("404"));
    }
    await expect.poll(() => stopPriority.priority(anonymousCaller("127.0.0.1"))).toBe("other");
  });

  it("behind a trusted proxy for each connection, whatever addresses the proxy names", async () => {
    const trustedProxies = { addresses: ["127.0.0.1"] };
    const { port, rig } = await open(createServer, 0, { trustedProxies });
    const caller = new Caller(port);
    for (let count = 1; count <= 10; count += 1) {
      const halt = `POST /api/admin/v1/trading/halt HTTP/1.1\r\nX-Forwarded-For: 10.0.0.${count}\r\n`;
      caller.socket.write(`${halt}${ENDING.slice("HTTP/1.1\r\n".length)}`);
      expect(await caller.untilStatuses(count)).toEqual(Array(count).fill("401"));
    }
    const { localPort } = caller.socket;
    const { stopPriority } = rig.api.gate;
    expect(stopPriority.priority(anonymousCaller(`127.0.0.1, port ${localPort}`))).toBe("other");
    expect(stopPriority.priority(anonymousCaller("10.0.0.1"))).toBe("stop");
  });

  it("and there not those of the user whose request came before over the same connection", async () => {
    const { port, rig } = await open(createServer, 0, { trustedProxies: { addresses: ["127.0.0.1"] } });
    const caller = new Caller(port);
    const { stopPriority } = rig.api.gate;
    for (let count = 1; count <= 10; count += 1) {
      const from = "X-Forwarded-For: 10.0.0.1\r\n";
      caller.socket.write(`${STATUS}${CHIEF}\r\n`);
      caller.socket.write(`POST /api/admin/v1/trading/halt HTTP/1.1\r\n${from}${ENDING.slice("HTTP/1.1\r\n".length)}`);
      caller.socket.write(`${STATUS}${CHIEF}\r\n`);
      caller.socket.write(`POST /elsewhere/trading/halt ${ENDING}`);
      await caller.untilStatuses(4 * count);
    }
    expect(stopPriority.priority("chief")).toBe("stop");
    expect(stopPriority.priority(anonymousCaller("10.0.0.1"))).toBe("other");
  });
});

describe("D-LOAD 2: the addresses of one IPv6 network are one origin", () => {
  it("also for a server without the guard: the refused stops of all of them count together", async () => {
    const rig = await startTestRig();
    const authentication = await openSuiteAuthentication();
    const trustedProxies = { addresses: ["127.0.0.1"] };
    const server = createServer(adminHandler(rig.api, { authenticator: authentication.authenticator, trustedProxies }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      server.close();
      server.closeAllConnections();
      authentication.close();
      await rig.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/admin/v1/trading/halt`;
    const statuses = [];
    for (let host = 1; host <= 10; host += 1) {
      const headers = { "X-Forwarded-For": `2001:db8::${host}` };
      statuses.push((await fetch(url, { method: "POST", headers })).status);
    }
    expect(statuses).toEqual(Array(10).fill(401));
    const { stopPriority } = rig.api.gate;
    expect(stopPriority.priority(anonymousCaller("2001:db8:0:0::/64"))).toBe("other");
    expect(stopPriority.priority(anonymousCaller("2001:db8:0:1::/64"))).toBe("stop");
  });
});

describe("D-LANE 2: a stop is recognised by its first line", () => {
  const isStop = stopMatcher(operations);

  it.each([
    "POST /api/admin/v1/trading/halt HTTP/1.1",
    "POST /admin/api/admin/v1/trading/halt?x=1 HTTP/1.1",
    "\r\n\r\nPOST /api/admin/v1/services/NYMEX/disable HTTP/1.1",
    "POST /api/admin/v1/fix/gateways/FIX%20GW/sessions/A%2FB/disconnect HTTP/1.1",
    "POST /api/admin/v1/fix/gateways/g/sessions/s/disable HTTP/1.1",
    `POST /api/admin/v1/services/${encodeURIComponent("ж".repeat(1_024))}/disable HTTP/1.1`,
  ])("%s", (line) => {
    expect(isStop(Buffer.from(line))).toBe(true);
  });

  it.each([
    "GET /api/admin/v1/trading/halt HTTP/1.1",
    "POST /api/admin/v1/trading/resume HTTP/1.1",
    "POST /api/admin/v1/services/NYMEX/enable HTTP/1.1",
    "POST /api/admin/v1/positions HTTP/1.1\r\nX: POST /trading/halt ",
    "POST /x?y=/trading/halt HTTP/1.1",
  ])("not %j", (line) => {
    expect(isStop(Buffer.from(line))).toBe(false);
  });
});

describe("D-LOAD 10: of a request that has been parsed", () => {
  /** Short fields, so that they take ten times their size. */
  const LARGE = `GET /hold HTTP/1.1\r\nHost: a\r\n${"x: 1\r\n".repeat(990)}\r\n`;

  /** A server that holds the responses to `/hold`, and what has come to it. */
  async function openHolding(): Promise<GuardedWorld & { readonly held: ServerResponse[] }> {
    const held: ServerResponse[] = [];
    const world = await open((handler) =>
      createServer({ maxHeaderSize: 16_384 }, (request, response) => {
        if (request.url === "/hold") held.push(response);
        else handler(request, response);
      }),
    );
    return { ...world, held };
  }

  it("large heads count for their caller until the responses have closed: beyond its share its next one is not parsed, small ones and stops are", async () => {
    const { port, held } = await openHolding();
    const callers: Caller[] = [];
    while (!callers.some(({ socket }) => socket.closed)) {
      const caller = new Caller(port);
      callers.push(caller);
      caller.socket.write(LARGE);
      await expect.poll(() => held.length === callers.length || caller.socket.closed, { interval: 5 }).toBe(true);
    }
    // 32 MB of 1,000 fields, each of 256 bytes.
    expect(held.length).toBeGreaterThan(100);
    expect(held.length).toBeLessThan(150);
    const reader = new Caller(port);
    reader.socket.write(READ);
    expect(await reader.untilStatuses(1)).toEqual(["200"]);
    expect(await plainStatus(port)).toBe(200);
    const count = held.length;
    held.pop()?.end();
    await expect.poll(() => callers.some(({ statuses }) => statuses.length === 1)).toBe(true);
    new Caller(port).socket.write(LARGE);
    await expect.poll(() => held.length).toBe(count);
  });

  it("and after its connection was closed", async () => {
    const { port, held } = await openHolding();
    for (let round = 1; round <= 100; round += 1) {
      const caller = new Caller(port);
      caller.socket.write(LARGE.repeat(3));
      await expect.poll(() => held.length, { interval: 5 }).toBe(3 * round);
      caller.socket.destroy();
      await expect.poll(() => held.at(-3)?.destroyed, { interval: 5 }).toBe(true);
    }
  });

  it.each([
    ["head", LARGE.replace("/hold", "/api/admin/v1/trading/status")],
    [
      "body",
      `POST /api/admin/v1/positions HTTP/1.1\r\nHost: a\r\n${CHIEF}Content-Type: application/json\r\nContent-Length: 131072\r\n\r\n${"{}".padEnd(131_072)}`,
    ],
  ])("an idle connection keeps no %s", async (_, request) => {
    const { port } = await open();
    const callers = Array.from({ length: 100 }, () => new Caller(port));
    const heapAfter = async (text: string, count: number): Promise<number> => {
      for (const { socket } of callers) socket.write(text);
      for (const caller of callers) await caller.untilStatuses(count);
      return liveHeap() + process.memoryUsage().arrayBuffers;
    };
    const before = await heapAfter(READ, 1);
    const kept = (await heapAfter(request, 2)) - before;
    expect(kept / callers.length).toBeLessThan(16 * 1024);
  });
});
