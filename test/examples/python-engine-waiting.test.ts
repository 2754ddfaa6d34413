import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CONTRACT_NAME } from "../../transports/json-rpc/contract.ts";
import { startPythonEngine } from "./python-engine-process.ts";
import type { ServingProcess } from "./serving-process.ts";

/** Disabling a session and resuming wait there until a service is disabled. */
const PROGRAM = fileURLToPath(new URL("python-engine-waiting.py", import.meta.url));
const SESSION = { gateway: "OE1", session: "FIXCLIENT1" };
const PATH = "Account[GOLD]";

interface Reply {
  readonly id: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

let engine: ServingProcess;
let socket: WebSocket;
let replies: Reply[];

beforeEach(async () => {
  engine = await startPythonEngine([], {}, PROGRAM);
  replies = [];
  socket = new WebSocket(engine.url, [CONTRACT_NAME]);
  socket.on("message", (data) => void replies.push(JSON.parse(String(data))));
  await once(socket, "open");
}, 180_000);

afterEach(async () => {
  socket?.terminate();
  await engine?.close();
});

function send(id: string, method: string, input: object, context: object = {}): void {
  const given = { user: "operator", requestId: id, deadline: Date.now() + 60_000, ...context };
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: { input, context: given } }));
}

async function replyTo(id: string): Promise<Reply> {
  await expect.poll(() => replies.map((reply) => reply.id)).toContain(id);
  return replies.find((reply) => reply.id === id) as Reply;
}

/** The peer answers: what waits is carried out. */
function answer(): void {
  send("answer", "disableService", { name: "TWAP", reason: "go" });
}

/** Waits until the engine has read all that was sent. */
async function whenRead(): Promise<void> {
  send("read", "getService", { name: "VWAP" });
  await replyTo("read");
}

describe("operations of the Python engine that take their time", () => {
  it("hold up no stop of another target; commands and reads of their own follow in the order of receipt", async () => {
    send("disable", "disableFixSession", SESSION);
    send("read disabled", "getFixSession", SESSION);
    send("enable", "enableFixSession", SESSION);
    send("read all", "listFixSessions", { gateway: "OE1" });
    send("halt", "haltTrading", { projectionPath: PATH, reason: "behind", cancelOrders: false });
    send("other session", "disconnectFixSession", { gateway: "RFQ1", session: "EUR/USD desk" });
    await replyTo("halt");
    await replyTo("other session");
    expect(replies.map(({ id }) => id).sort()).toEqual(["halt", "other session"]);
    answer();
    const listed = (await replyTo("read all")).result as { sessionId: string; status: string }[];
    expect(listed.find(({ sessionId }) => sessionId === SESSION.session)?.status).toBe("Disconnected");
    expect((await replyTo("disable")).result).toMatchObject({ status: "Disabled" });
    expect((await replyTo("read disabled")).result).toMatchObject({ status: "Disabled" });
    expect((await replyTo("enable")).result).toMatchObject({ status: "Disconnected" });
  });

  it("the wait behind one counts in timeLeft: what nobody waits for any more is dropped", async () => {
    send("disable", "disableFixSession", SESSION);
    send("late", "enableFixSession", SESSION, { timeLeft: 50 });
    send("in time", "disconnectFixSession", SESSION, { timeLeft: 60_000 });
    await whenRead();
    await pause(60);
    answer();
    expect((await replyTo("late")).error).toMatchObject({ code: -32001, message: expect.stringMatching(/^Dropped: /) });
    expect((await replyTo("in time")).result).toMatchObject({ status: "Disabled" });
  });

  it("a halt that waits its turn refuses changes that arrived before it, and is carried out", async () => {
    const now = Date.now();
    const adjustment = { projectionPath: `${PATH}/Symbol[AAPL]`, size: "1", relative: false };
    send("resume", "resumeTrading", { projectionPath: PATH, reason: "first" }, { arrived: now - 9_000 });
    const halt = { projectionPath: PATH, reason: "second", cancelOrders: false };
    send("halt", "haltTrading", halt, { arrived: now - 5_000 });
    send("adjust", "adjustPosition", adjustment, { arrived: now - 7_000 });
    expect((await replyTo("adjust")).error).toMatchObject({ code: -32005 });
    expect(replies.map(({ id }) => id)).toEqual(["adjust"]);
    answer();
    expect(await replyTo("halt")).toMatchObject({ result: null });
    send("status", "getTradingStatus", { projectionPath: PATH });
    expect((await replyTo("status")).result).toMatchObject({ halted: true, reason: "second" });
  });

  it("a change that waits its turn is refused when a system-wide halt arrives meanwhile", async () => {
    const now = Date.now();
    send("disable", "disableFixSession", SESSION, { arrived: now - 9_000 });
    send("enable", "enableFixSession", SESSION, { arrived: now - 7_000 });
    const halt = { projectionPath: "", reason: "all", cancelOrders: false };
    send("halt", "haltTrading", halt, { arrived: now - 5_000 });
    expect(await replyTo("halt")).toMatchObject({ result: null });
    answer();
    expect((await replyTo("enable")).error).toMatchObject({ code: -32005 });
    expect((await replyTo("disable")).result).toMatchObject({ status: "Disabled" });
  });

  it("too many of them make the engine refuse reads and changes, but no stop", async () => {
    for (let index = 0; index < 1_000; index++) {
      send(`resume ${index}`, "resumeTrading", { projectionPath: `Account[A${index}]`, reason: "flood" });
    }
    send("refused", "getService", { name: "VWAP" });
    expect((await replyTo("refused")).error).toMatchObject({ code: -32003 });
    answer();
    expect(await replyTo("answer")).toMatchObject({ result: null });
    await expect.poll(() => replies.length).toBe(1_002);
    expect(replies.filter(({ error }) => error)).toHaveLength(1);
  });

  it("one that never ends does not keep the engine from stopping", async () => {
    send("disable", "disableFixSession", SESSION);
    await whenRead();
    expect(await engine.terminate()).toBe(0);
  });
});
