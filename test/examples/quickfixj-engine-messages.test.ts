import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CONTRACT_NAME } from "../../transports/json-rpc/contract.ts";
import { startEngineAlone, TOKEN } from "./quickfixj-engine-rig.ts";

const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };

let engine: Awaited<ReturnType<typeof startEngineAlone>>;

beforeAll(async () => {
  engine = await startEngineAlone();
}, 600_000);

afterAll(() => engine?.close());

function connect(headers: Record<string, string>, protocols: string[] = [CONTRACT_NAME]): WebSocket {
  return new WebSocket(engine.url, protocols, { headers, perMessageDeflate: false });
}

/** HTTP status by which an upgrade is refused. */
async function refusedWith(socket: WebSocket): Promise<number | undefined> {
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode?: number }];
  socket.terminate();
  return response.statusCode;
}

/** The codes of the errors with which a message is refused, or "result"; all over one connection. */
async function repliesTo(messages: readonly (string | Buffer)[]): Promise<unknown[]> {
  const socket = connect(AUTHORIZED);
  await once(socket, "open");
  const codes: unknown[] = [];
  for (const message of messages) {
    const reply = once(socket, "message");
    socket.send(message);
    const { id, error } = JSON.parse(String((await reply)[0]));
    codes.push([id, error?.code ?? "result"]);
  }
  socket.terminate();
  return codes;
}

function request(id: unknown, method: string, input: unknown, context: object = {}): string {
  const given = { user: "operator", requestId: "r-1", deadline: Date.now() + 60_000, ...context };
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { input, context: given } });
}

describe("D-ENG 42: the engine in Java keeps to the framing of the bus", () => {
  it("lets nobody in without the token, the subprotocol, or from a browser", async () => {
    expect(await refusedWith(connect({}))).toBe(401);
    expect(await refusedWith(connect({ Authorization: "Bearer another" }))).toBe(401);
    expect(await refusedWith(connect(AUTHORIZED, ["trading-admin.v2"]))).toBe(400);
    expect(await refusedWith(connect({ ...AUTHORIZED, Origin: "http://127.0.0.1" }))).toBe(403);
    expect((await fetch(engine.url.replace("ws:", "http:"))).status).toBe(426);
  });

  it("names its process in the response to the upgrade", async () => {
    const socket = connect(AUTHORIZED);
    const [response] = await once(socket, "upgrade");
    expect(response.headers["trading-admin-engine-id"]).toMatch(/./);
    socket.terminate();
  });

  it("refuses what is not a request with the codes of JSON-RPC, and the connection continues", async () => {
    const replies = await repliesTo([
      "{",
      "[]",
      Buffer.from("{}"),
      JSON.stringify({ jsonrpc: "2.0", method: "listServices", params: {} }),
      request(4, "stopEverything", {}),
      JSON.stringify({ jsonrpc: "2.0", id: 5, method: "listServices", params: [] }),
      request(6, "listServices", {}, { deadline: "soon" }),
      request(7, "getService", { name: "VENUE", mistyped: true }),
      request(8, "getService", {}),
      request(9, "adjustPosition", { projectionPath: "", size: 1, relative: false }),
      request("text", "getService", { name: "VENUE" }),
    ]);
    expect(replies).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [4, -32601],
      [5, -32602],
      [6, -32602],
      [7, -32602],
      [8, -32602],
      [9, -32602],
      ["text", "result"],
    ]);
  });

  it("ends a connection with 1009 after a message that is too long", async () => {
    const socket = connect(AUTHORIZED);
    await once(socket, "open");
    socket.send(`"${"x".repeat(1024 * 1024 + 64 * 1024)}"`);
    const [code] = await once(socket, "close");
    expect(code).toBe(1009);
  });
});
