import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CONTRACT_NAME } from "../../transports/json-rpc/contract.ts";
import { dial } from "./python-engine-gateway.ts";
import { startPythonEngine } from "./python-engine-process.ts";
import type { ServingProcess } from "./serving-process.ts";

const TOKEN = "token-of-the-test";

let engine: ServingProcess;

beforeAll(async () => {
  engine = await startPythonEngine(["--token-env", "ENGINE_TOKEN"], { ENGINE_TOKEN: TOKEN });
}, 180_000);

afterAll(async () => {
  await engine?.close();
});

function connect(headers: Record<string, string>, protocols: string[] = [CONTRACT_NAME]): WebSocket {
  return new WebSocket(engine.url, protocols, { headers, perMessageDeflate: false });
}

async function connected(): Promise<WebSocket> {
  const socket = connect({ Authorization: `Bearer ${TOKEN}` });
  await once(socket, "open");
  return socket;
}

/** HTTP status by which an upgrade is refused. */
async function refusedWith(socket: WebSocket): Promise<number | undefined> {
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode?: number }];
  socket.terminate();
  return response.statusCode;
}

/** The engine's replies to messages, in their order. */
async function replies(...messages: (string | Buffer)[]): Promise<unknown[]> {
  const socket = await connected();
  const received: unknown[] = [];
  const all = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      if (received.push(JSON.parse(String(data))) === messages.length) resolve();
    });
  });
  for (const message of messages) socket.send(message);
  await all;
  socket.terminate();
  return received;
}

function request(id: unknown, method: string, input: unknown, context: object = {}): string {
  const given = { user: "operator", requestId: "r-1", deadline: Date.now() + 10_000, ...context };
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { input, context: given } });
}

function failure(id: unknown, code: number): object {
  return { jsonrpc: "2.0", id, error: { code, message: expect.any(String) } };
}

describe("D-PKG 6: the engine in another language keeps to the framing", () => {
  it("lets nobody in without the token, the subprotocol, or from a browser", async () => {
    const authorized = { Authorization: `Bearer ${TOKEN}` };
    expect(await refusedWith(connect({}))).toBe(401);
    expect(await refusedWith(connect({ Authorization: "Bearer another" }))).toBe(401);
    expect(await refusedWith(connect(authorized, ["trading-admin.v2"]))).toBe(400);
    expect(await refusedWith(connect(authorized, []))).toBe(400);
    expect(await refusedWith(connect({ ...authorized, Origin: "http://127.0.0.1" }))).toBe(403);
  });

  it("a gateway with the token gets through", async () => {
    const transport = await dial({ url: engine.url, token: TOKEN });
    expect(transport.state).toBe("up");
    await transport.close();
  });

  it("bad messages are answered with the codes of JSON-RPC, and the connection continues", async () => {
    const answers = await replies(
      "{",
      "[]",
      Buffer.from("{}"),
      JSON.stringify({ jsonrpc: "2.0", method: "listServices", params: {} }),
      request(4, "stopEverything", {}),
      JSON.stringify({ jsonrpc: "2.0", id: 5, method: "listServices", params: [] }),
      request(6, "listServices", {}, { deadline: "soon" }),
      request(7, "getService", { name: "TWAP", mistyped: true }),
      request(8, "getService", {}),
      request(9, "adjustPosition", { projectionPath: "", size: 1, relative: false }),
      request(10, "listPositions", { projection: "Account/Symbol", account: ["GOLD"] }),
      request("text", "getService", { name: "TWAP" }),
    );
    expect(answers).toEqual([
      failure(null, -32700),
      failure(null, -32600),
      failure(null, -32600),
      failure(null, -32600),
      failure(4, -32601),
      failure(5, -32602),
      failure(6, -32602),
      failure(7, -32602),
      failure(8, -32602),
      failure(9, -32602),
      failure(10, -32602),
      { jsonrpc: "2.0", id: "text", result: expect.objectContaining({ name: "TWAP" }) },
    ]);
  });

  it("a message that is too long ends the connection with 1009", async () => {
    const socket = await connected();
    const closed = once(socket, "close");
    socket.send(`"${"x".repeat(2 * 1024 * 1024)}"`);
    expect((await closed)[0]).toBe(1009);
  });

  it("says goodbye with 1001 on SIGTERM and ends with the exit code 0", async () => {
    const leaving = await startPythonEngine();
    const socket = new WebSocket(leaving.url, [CONTRACT_NAME]);
    await once(socket, "open");
    const closed = once(socket, "close");
    expect(await leaving.terminate()).toBe(0);
    expect((await closed)[0]).toBe(1001);
    expect(leaving.output()).toMatch(/^engine listening on ws:\/\/127\.0\.0\.1:\d+\n$/);
  });
});
