import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { GatewayServer } from "../../src/gateway/server/server.ts";
import type { ServerLimits } from "../../src/gateway/server/server-limits.ts";
import { adminHandler } from "../../src/http/node.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { restOfOthers } from "../support/rest-of-others.ts";
import { DEFAULT_LIMITS } from "../support/server-limits.ts";
import { Connection, exchange, expectRefusal, head } from "./connection.ts";

const CHIEF = `Authorization: ${credentials("chief")}`;
const JSON_TYPE = "Content-Type: application/json";

/** The gateway's server over an engine that a test can hold. */
interface ServerWorld extends Omit<TestRig, "close"> {
  readonly origin: string;
  readonly server: GatewayServer;
}

const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openServer(limits: ServerLimits = DEFAULT_LIMITS, isGuarded = false): Promise<ServerWorld> {
  const rig = await startTestRig();
  const authentication = await openSuiteAuthentication();
  const server = new GatewayServer(
    adminHandler(rig.api, { authenticator: authentication.authenticator }),
    limits,
    isGuarded ? { api: rig.api } : {},
  );
  const port = await server.listen(0, "127.0.0.1");
  closing.push(
    () => rig.close(),
    () => authentication.close(),
    () => server.close(0),
  );
  return { ...rig, server, origin: `http://127.0.0.1:${port}` };
}

async function open(origin: string): Promise<Connection> {
  const connection = await Connection.open(origin);
  closing.push(() => connection.destroy());
  return connection;
}

describe("D-LOAD 2: the time of hundreds of requests may be over together", () => {
  const UNFINISHED = "GET /api/admin/v1/services HTTP/1.1\r\nHost: x\r\n";
  // Long enough for a busy machine to begin the rest before the first time is over.
  const limits = { ...DEFAULT_LIMITS, headerMs: 3_000 };

  it("and each is refused at its turn: while other work rests a halt is carried out, and no 408 is written", async () => {
    const guarded = await openServer(limits, true);
    const late = await open(guarded.origin);
    late.write(`${head("GET", "/services")}${UNFINISHED}`);
    await late.until(/ 401 /);
    const proceed = await restOfOthers(guarded);
    // The times of two others are over, one after the other: so is the first.
    const { origin } = await openServer(limits);
    for (const _other of [1, 2]) expect(await exchange(origin, UNFINISHED)).toContain(" 408 ");
    const halt = head("POST", "/trading/halt", CHIEF, "Connection: close", "Content-Length: 0");
    expect(await exchange(guarded.origin, halt)).toContain(" 200 ");
    expect(late.received).not.toContain(" 408 ");
    proceed();
    await late.until(/ 408 /);
  });
});

describe("D-HTTP 2: what is not HTTP is refused in the API's shape", () => {
  const NOT_HTTP = "The request is not valid HTTP";

  it.each([
    ["nonsense", "nonsense\r\n\r\n"],
    ["an unknown method", head("FETCH", "/services", CHIEF)],
    ["a control character in a header", head("GET", "/services", CHIEF, "X-Request-Id: a\u0001b")],
    ["two lengths", head("POST", "/trading/resume", CHIEF, JSON_TYPE, "Content-Length: 2", "Content-Length: 3")],
    [
      "length and chunks together",
      head("POST", "/trading/resume", CHIEF, JSON_TYPE, "Content-Length: 2", "Transfer-Encoding: chunked"),
    ],
    ["broken chunks", `${head("POST", "/trading/resume", CHIEF, JSON_TYPE, "Transfer-Encoding: chunked")}zz\r\n{}`],
  ])("with 400 for %s", async (_, text) => {
    const { origin, gate } = await openServer();
    expectRefusal(await exchange(origin, text), 400, "Bad Request", NOT_HTTP);
    expect(gate.seen).toEqual([]);
  });

  it("with 400 without Host", async () => {
    const { origin } = await openServer();
    const text = head("GET", "/services", CHIEF).replace("Host: x\r\n", "");
    expectRefusal(await exchange(origin, text), 400, "Bad Request", "The header Host is missing");
  });

  it.each(["Host: x", "Host: y", "hOST:"])(
    "D-HTTP 25: with 400 for two lines of Host, the second %s",
    async (second) => {
      const { origin, gate } = await openServer();
      const text = head("POST", "/trading/resume", CHIEF, second, JSON_TYPE, "Content-Length: 2");
      expectRefusal(await exchange(origin, `${text}{}`), 400, "Bad Request", "The header Host is there more than once");
      expect(gate.seen).toEqual([]);
    },
  );

  it("with 431 for headers beyond 16 KiB, however long they are", async () => {
    const { origin } = await openServer();
    for (const size of [16 * 1024, 200_000]) {
      const text = head("GET", "/services", CHIEF, `X: ${"x".repeat(size)}`);
      const message = "The request line and headers are too large";
      expectRefusal(await exchange(origin, text), 431, "Request Header Fields Too Large", message);
    }
  });

  it.each([false, true])(
    "D-HTTP 34: with 431 for more than 1,000 header fields, behind the guard: %s",
    async (isGuarded) => {
      const { origin, gate } = await openServer(DEFAULT_LIMITS, isGuarded);
      const fields = (count: number): string[] => Array.from({ length: count }, (_, index) => `X${index}:1`);
      const upgrade = ["Connection: Upgrade", "Upgrade: h2c"];
      for (const lines of [fields(999), [...fields(999), "Host: b"], [...upgrade, ...fields(1_500)]]) {
        const text = head("POST", "/trading/resume", CHIEF, ...lines, "Content-Length: 0");
        const message = "The request has too many header fields";
        expectRefusal(await exchange(origin, text), 431, "Request Header Fields Too Large", message);
      }
      expect(gate.seen).toEqual([]);
      const most = head("POST", "/trading/resume", CHIEF, "Connection: close", ...fields(996), "Content-Length: 0");
      expect(await exchange(origin, most)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it.each([false, true])(
    "D-HTTP 35: with 400 for a Host that no request may have, behind the guard: %s",
    async (isGuarded) => {
      const { origin } = await openServer(DEFAULT_LIMITS, isGuarded);
      for (const host of ["a b", "user@a", "a:b", "[::1"]) {
        const text = head("GET", "/services", CHIEF).replace("Host: x", `Host: ${host}`);
        expectRefusal(await exchange(origin, text), 400, "Bad Request", "The header Host is not valid");
      }
    },
  );

  it("D-LOG 8: a body that ends early is recorded as invalid and not sent to the engine", async () => {
    const { origin, gate, audit } = await openServer();
    const text = head("POST", "/trading/resume", CHIEF, JSON_TYPE, "Transfer-Encoding: chunked");
    await exchange(origin, `${text}1\r\n{\r\nzz\r\n`);
    await expect.poll(() => audit.stages).toEqual(["invalid"]);
    expect(gate.seen).toEqual([]);
  });

  it("while an unknown expectation is ignored", async () => {
    const { origin } = await openServer();
    const answer = await exchange(origin, head("GET", "/services", CHIEF, "Expect: coffee", "Connection: close"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe("garbage behind a mutation that is in progress", () => {
  it("D-HTTP 28, D-ENG 4: closes the connection and sends no response for the mutation, which continues", async () => {
    const { origin, gate, audit } = await openServer();
    gate.hold();
    const connection = await open(origin);
    connection.write(head("POST", "/trading/resume", CHIEF, "Content-Length: 0"));
    await expect.poll(() => gate.seen.length).toBe(1);
    connection.write("garbage\r\n\r\n");
    await connection.closed();
    expect(connection.received).toBe("");
    gate.release();
    await expect.poll(() => audit.stages).toEqual(["intent", "applied"]);
  });

  it("is refused once the mutation has its response", async () => {
    const { origin } = await openServer();
    const connection = await open(origin);
    connection.write(head("POST", "/trading/resume", CHIEF, "Content-Length: 0"));
    await connection.until(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n$/s);
    const answered = connection.received.length;
    connection.write("garbage\r\n\r\n");
    await connection.closed();
    expectRefusal(connection.received.slice(answered), 400, "Bad Request", "The request is not valid HTTP");
  });
});

describe("D-HTTP 1: with Expect: 100-continue the body is asked for only when it is needed", () => {
  const BODY = '{"reason":"drill"}';
  const asking = (...headers: readonly string[]): string =>
    head("POST", "/trading/resume", ...headers, JSON_TYPE, "Expect: 100-continue");

  it.each([
    ["401 without credentials", 401, asking(`Content-Length: ${BODY.length}`)],
    ["403 without the permission", 403, asking(`Authorization: ${credentials("viewer")}`, "Content-Length: 18")],
    ["413 when it will be too large", 413, asking(CHIEF, "Content-Length: 1048577")],
    ["415 when it is not JSON", 415, asking(CHIEF, "Content-Length: 18").replace("application/json", "text/plain")],
  ])("not for %s: no 100", async (_, status, text) => {
    const { origin, gate } = await openServer();
    const connection = await open(origin);
    connection.write(text);
    await connection.until(/\r\n\r\n/);
    expect(connection.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(gate.seen).toEqual([]);
  });

  it("for a 200 with the body", async () => {
    const { origin, gate } = await openServer();
    const connection = await open(origin);
    connection.write(asking(CHIEF, `Content-Length: ${BODY.length}`));
    await connection.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    expect(gate.seen).toEqual([]);
    connection.write(BODY);
    await connection.until(/\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(gate.seen).toMatchObject([{ method: "resumeTrading", input: { reason: "drill" } }]);
  });
});

describe("close()", () => {
  /** What close() may wait for what is in progress, and what a connection that is kept may wait for its next request. */
  const LIMIT_MS = 90_000;
  const PATIENT: ServerLimits = { ...DEFAULT_LIMITS, keepAliveMs: LIMIT_MS, headerMs: LIMIT_MS, requestMs: LIMIT_MS };
  /** A part of that which no machine is so busy that it takes it. */
  const SOON_MS = LIMIT_MS / 3;

  it("lets a mutation in progress finish, and ends its connection after the response", async () => {
    const { origin, server, gate } = await openServer(PATIENT);
    gate.hold();
    const connection = await open(origin);
    connection.write(head("POST", "/trading/resume", CHIEF, "Content-Length: 0"));
    await expect.poll(() => gate.seen.length).toBe(1);
    const closed = server.close(LIMIT_MS);
    await expect.poll(() => Connection.open(origin).then(String, String)).toContain("ECONNREFUSED");
    expect(connection.received).toBe("");
    const released = Date.now();
    gate.release();
    await closed;
    await connection.closed();
    expect(Date.now() - released).toBeLessThan(SOON_MS);
    expect(connection.received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n/s);
  });

  it("D-GATE 17: serves whoever the operating system has connected before, and was not accepted yet", async () => {
    const { origin, server, gate } = await openServer(PATIENT);
    const halt = head("POST", "/trading/halt", CHIEF, "Content-Length: 0");
    const arriving = Array.from({ length: 50 }, async () => {
      const connection = await open(origin);
      connection.write(halt);
      await connection.closed();
      return connection.received.slice(0, 15);
    });
    const closed = server.close(LIMIT_MS);
    expect(new Set(await Promise.all(arriving))).toEqual(new Set(["HTTP/1.1 200 OK"]));
    await closed;
    expect(gate.seen).toHaveLength(50);
  });

  it("serves nothing that comes behind a request in progress", async () => {
    const { origin, server, gate } = await openServer();
    gate.hold();
    const connection = await open(origin);
    const resume = head("POST", "/trading/resume", CHIEF, "Content-Length: 0");
    connection.write(resume);
    await expect.poll(() => gate.seen.length).toBe(1);
    const closed = server.close(10_000);
    connection.write(resume);
    // Time enough for the server to read it.
    await pause(50);
    gate.release();
    await closed;
    await connection.closed();
    expect(connection.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(gate.seen).toHaveLength(1);
  });

  it.each([
    ["was never used", ""],
    ["is idle", head("GET", "/services", CHIEF)],
    ["holds half a request", "GET /api/admin/v1/serv"],
  ])("does not wait for a connection that %s", async (_, text) => {
    const { origin, server } = await openServer(PATIENT);
    const connection = await open(origin);
    connection.write(text);
    if (text.endsWith("\r\n\r\n")) await connection.until(/^HTTP\/1\.1 200 OK/);
    const started = Date.now();
    await server.close(LIMIT_MS);
    await connection.closed();
    expect(Date.now() - started).toBeLessThan(SOON_MS);
  });

  it("gives up on a request in progress when its time limit ends", async () => {
    const { origin, server, gate } = await openServer();
    gate.hold();
    const connection = await open(origin);
    connection.write(head("POST", "/trading/resume", CHIEF, "Content-Length: 0"));
    await expect.poll(() => gate.seen.length).toBe(1);
    await server.close(50);
    await connection.closed();
    expect(connection.received).toBe("");
  });
});
