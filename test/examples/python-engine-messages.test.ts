import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CONTRACT_NAME } from "../../transports/json-rpc/contract.ts";
import { faultyMessages, refusedWith, request } from "./bus-messages.ts";
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
    const messages = faultyMessages("TWAP");
    const filtered = request(10, "listPositions", { projection: "Account/Symbol", account: ["GOLD"] });
    const answers = await replies(...messages.map(({ text }) => text), filtered);
    const result = expect.objectContaining({ name: "TWAP" });
    expect(answers).toEqual([
      ...messages.map(({ id, code }) => (code === "result" ? { jsonrpc: "2.0", id, result } : failure(id, code))),
      failure(10, -32602),
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
