import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CONTRACT_NAME } from "../../transports/json-rpc/contract.ts";
import { type BusMessage, faultyMessages, refusedWith } from "./bus-messages.ts";
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

/** The ids of the replies, and the codes of their errors, or "result"; all over one connection. */
async function repliesTo(messages: readonly BusMessage[]): Promise<unknown[]> {
  const socket = connect(AUTHORIZED);
  await once(socket, "open");
  const codes: unknown[] = [];
  for (const { text } of messages) {
    const reply = once(socket, "message");
    socket.send(text);
    const { id, error } = JSON.parse(String((await reply)[0]));
    codes.push({ id, code: error?.code ?? "result" });
  }
  socket.terminate();
  return codes;
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
    const messages = faultyMessages("VENUE");
    expect(await repliesTo(messages)).toEqual(messages.map(({ id, code }) => ({ id, code })));
  });

  it("ends a connection with 1009 after a message that is too long", async () => {
    const socket = connect(AUTHORIZED);
    await once(socket, "open");
    socket.send(`"${"x".repeat(1024 * 1024 + 64 * 1024)}"`);
    const [code] = await once(socket, "close");
    expect(code).toBe(1009);
  });
});
