import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EVERYTHING } from "../support/extent.ts";
import { sendRaw } from "../support/raw-http.ts";
import { Connection, expectRefusal, head } from "./connection.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";

const HALT = {
  method: "POST",
  path: "/trading/halt",
  authorization: CHIEF,
  headers: { "Content-Type": "application/json" },
  body: "{}",
};

let folder: InstallationFolder;
const sockets: Socket[] = [];

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await folder.close();
});

async function start(settings: string): Promise<string> {
  const { url } = await folder.start(`server.shutdown.drain-time: 0\n${settings}`);
  return url;
}

/** Opens connections that write something and then nothing more; counts those that are still open. */
async function slowClients(url: string, count: number, text: string): Promise<() => number> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const openOne = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        open.add(socket);
        socket.write(text);
        resolve();
      });
      sockets.push(socket);
      socket.on("error", () => resolve());
      socket.on("close", () => open.delete(socket));
      socket.resume();
    });
  for (let opened = 0; opened < count; opened += 200) {
    await Promise.all(Array.from({ length: Math.min(200, count - opened) }, openOne));
  }
  return () => open.size;
}

describe("D-GATE 12: limits for slow and large clients", () => {
  it("request line and headers that take too long get a 408, and the connection ends", async () => {
    const connection = await Connection.open(await start("server.header-timeout: 2s"));
    connection.write("GET /api/admin/v1/services HTTP/1.1\r\nHost: x\r\n");
    await connection.closed();
    expectRefusal(connection.received, 408, "Request Timeout", "The request did not arrive completely in time");
  });

  it("a body that takes too long gets a 408 too, and nothing is applied", async () => {
    const connection = await Connection.open(await start("server.request-timeout: 2s"));
    connection.write(
      head(
        "POST",
        "/trading/resume",
        `Authorization: ${CHIEF}`,
        "Content-Type: application/json",
        "Content-Length: 10",
      ),
    );
    await connection.closed();
    expectRefusal(connection.received, 408, "Request Timeout", "The request did not arrive completely in time");
    expect(folder.log()).not.toContainEqual(expect.objectContaining({ operation: "resumeTrading", stage: "applied" }));
  });

  it("an idle connection ends", async () => {
    const url = await start("server.keep-alive-timeout: 1s");
    const connection = await Connection.open(url);
    connection.write(head("GET", "/services", `Authorization: ${CHIEF}`));
    await connection.until(/^HTTP\/1\.1 200 OK/);
    await connection.closed();
  });

  it("a connection on which nothing moves ends, with a response that nobody takes", async () => {
    const url = await start("server.stall-timeout: 1s\nadmin.engine.request-timeout: 5s");
    const connection = await Connection.open(url);
    connection.write(
      `${head("POST", "/trading/resume", `Authorization: ${CHIEF}`, "Content-Type: application/json", "Content-Length: 10")}{`,
    );
    await connection.closed();
  });

  it("a long path gets a 414, large headers a 431, each in the API's shape", async () => {
    const url = await start("server.max-url-length: 300\nserver.max-http-request-header-size: 2KB");
    const base = `${url}/api/admin/v1`;
    const long = await sendRaw(base, { path: `/services?${"x".repeat(300)}`, authorization: CHIEF });
    expect([long.status, JSON.parse(long.body).message]).toEqual([
      414,
      "The path with its query is longer than 300 characters",
    ]);
    const large = await sendRaw(base, {
      path: "/services",
      authorization: CHIEF,
      headers: { "X-A": "a".repeat(3_000) },
    });
    expect([large.status, JSON.parse(large.body).status]).toEqual([431, 431]);
    expect(await sendRaw(base, { path: "/services", authorization: CHIEF })).toMatchObject({ status: 200 });
  });
});

const SLOW_HEADER = "POST /api/admin/v1/trading/halt HTTP/1.1\r\nHost: x\r\nX-Slow: ";
const SLOW_BODY = head(
  "POST",
  "/trading/halt",
  `Authorization: ${CHIEF}`,
  "Content-Type: application/json",
  "Content-Length: 1000",
);

describe("D-LOAD 9: slow clients do not keep a halt from working", () => {
  it("though there are many of them, half slow with headers and half with bodies", async () => {
    const count = EVERYTHING ? 5_000 : 1_500;
    const url = await start("server.max-connections: 2000");
    const header = await slowClients(url, count, SLOW_HEADER);
    const body = await slowClients(url, count, `${SLOW_BODY}{"reason"`);
    for (let halt = 0; halt < 5; halt += 1) {
      expect(await sendRaw(`${url}/api/admin/v1`, HALT)).toMatchObject({ status: 200 });
    }
    await expect.poll(() => header() + body()).toBeLessThanOrEqual(2_000);
    expect(body()).toBeGreaterThan(0);
  });

  it("since unknown callers make room before a connection that was of use, the oldest first", async () => {
    const url = await start("server.max-connections: 16");
    const known = await Connection.open(url);
    known.write(head("GET", "/services", `Authorization: ${CHIEF}`));
    await known.until(/^HTTP\/1\.1 200 OK/);
    const before = known.received.length;
    const strangers = await slowClients(url, 60, SLOW_HEADER);
    await expect.poll(strangers).toBeLessThanOrEqual(15);
    known.write(head("GET", "/services", `Authorization: ${CHIEF}`));
    await known.until(/200 OK.*200 OK/s);
    expect(known.received.length).toBeGreaterThan(before);
  });
});
