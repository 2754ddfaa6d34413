import { afterEach, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { Events, fate, request } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { openScriptedEngine, type ScriptedEngine } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

const MAX = 4_096;

/** A gateway's end and an engine's end that replies what the test says. */
async function bench(): Promise<{
  engine: ScriptedEngine;
  events: Events;
  /** Sends requests until the engine has them; what becomes of them. */
  ask: (...ids: string[]) => Promise<Promise<unknown>[]>;
  /** Sends frames to the gateway. */
  say: (...frames: (string | Buffer)[]) => void;
}> {
  const engine = opened.add(await openScriptedEngine(), (it) => it.close());
  const events = new Events();
  const transport = await opened.connected({ url: engine.url, maxMessageBytes: MAX, onEvent: events.onEvent });
  return {
    engine,
    events,
    ask: async (...ids) => {
      const already = engine.requests.length;
      const fates = ids.map((id) => fate(transport, id, "change"));
      await until(() => engine.requests.length === already + ids.length, "the engine has the requests");
      return fates;
    },
    say: (...frames) => {
      for (const frame of frames) engine.socket.send(frame, { binary: Buffer.isBuffer(frame) });
    },
  };
}

function answer(id: number, result: unknown = "fine"): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

const PROTOCOL = "protocol, sent";

describe("D-LINK 4: of bad input over a WebSocket, the request concerned fails, and the rest continue", () => {
  test.each([
    ["no JSON", '{"jsonrpc":"2.0","id":1,"result":fine}'],
    ["no JSON, the id first", '{"id":1,"jsonrpc":"2.0","result":'],
    ["JSON that breaks off", '{ "jsonrpc": "2.0", "id": 1, "result": {"id":2,"x":'],
    ["another version", '{"jsonrpc":"1.0","id":1,"result":"fine"}'],
    ["no version", '{"id":1,"result":"fine"}'],
    ["neither result nor error", '{"jsonrpc":"2.0","id":1}'],
    ["both result and error", '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":-32001,"message":"no"}}'],
    ["an error without a code", '{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}'],
    ["an error that is text", '{"jsonrpc":"2.0","id":1,"error":"no"}'],
    ["a reply that is too long", answer(1, "x".repeat(MAX))],
    ["too long, the id last", `{"jsonrpc":"2.0","result":{"id":2,"x":"${"x".repeat(MAX)}"},"id":1}`],
  ])("such as %s: outcome unknown", async (_name, frame) => {
    const { engine, events, ask, say } = await bench();
    const [broken, good] = await ask("r-1", "r-2");
    expect(engine.requests.map(({ id }) => id)).toEqual([1, 2]);
    say(frame, answer(2));
    expect(await broken).toBe(PROTOCOL);
    expect(await good).toBe("fine");
    expect(events.of("problem")).toEqual([]);
    expect(engine.connections).toBe(1);
  });

  test("such as text that is not UTF-8", async () => {
    const { engine, ask, say } = await bench();
    const [broken, good] = await ask("r-1", "r-2");
    const frame = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"result":"'), Buffer.from([0xff, 0x22, 0x7d])]);
    engine.socket.send(frame, { binary: false });
    say(answer(2));
    expect([await broken, await good]).toEqual([PROTOCOL, "fine"]);
  });

  test.each([
    ["garbage", "\u0000\u0001 garbage"],
    ["an empty frame", ""],
    ["a number", "1"],
    ["null", "null"],
    ["a batch", `[${answer(1)}]`],
    ["a broken reply whose id cannot be told", '{"jsonrpc":"2.0","result":{"id":1},"id":'],
    ["a broken reply whose nested id is not an id of it", '{"jsonrpc":"2.0","result":{"a":1,"id":1}'],
    ["an id that may have broken off", '{"jsonrpc":"2.0","id":1'],
    ["a reply whose id is text", '{"jsonrpc":"2.0","id":"1","result":"fine"}'],
    ["a reply to nobody", '{"jsonrpc":"2.0","id":null,"result":"fine"}'],
    ["a reply for an unknown id", answer(77)],
    ["a broken reply for an unknown id", '{"jsonrpc":"2.0","id":77}'],
    ["a complaint about a message of ours", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}'],
    ["a request", '{"jsonrpc":"2.0","id":1,"method":"haltTrading"}'],
    ["an unknown notification", '{"jsonrpc":"2.0","method":"engine.gone"}'],
    ["a status that says nothing", '{"jsonrpc":"2.0","method":"engine.status","params":{"overloaded":"yes"}}'],
    ["a status without params", '{"jsonrpc":"2.0","method":"engine.status"}'],
    ["a status that is null", '{"jsonrpc":"2.0","method":"engine.status","params":null}'],
    ["a prototype", '{"__proto__":{"jsonrpc":"2.0","id":1,"result":1}}'],
    ["a binary frame", Buffer.from(answer(1))],
  ])("and %s is reported to the host, and nothing else happens", async (_name, frame) => {
    const { engine, events, ask, say } = await bench();
    const [first, second] = await ask("r-1", "r-2");
    say(frame);
    await until(() => events.of("problem").length > 0, "the host is told");
    say(answer(2, "two"), answer(1, "one"));
    expect([await first, await second]).toEqual(["one", "two"]);
    expect(events.of("problem")).toHaveLength(1);
    expect(engine.connections).toBe(1);
  });

  test("and a duplicate reply is reported to the host; the first one counts", async () => {
    const { events, ask, say } = await bench();
    const [first, second] = await ask("r-1", "r-2");
    say(answer(1, "one"), answer(1, "another"), answer(2, "two"));
    expect([await first, await second]).toEqual(["one", "two"]);
    expect(events.of("problem")).toHaveLength(1);
    expect(events.of("problem")[0]).toContain("request 1");
  });

  test("but a reply beyond the hard limit costs the link, which comes back", async () => {
    const { engine, events, ask, say } = await bench();
    const waiting = await ask("r-1", "r-2");
    say(answer(1, "x".repeat(5 * MAX)));
    expect(await Promise.all(waiting)).toEqual(["unavailable, sent", "unavailable, sent"]);
    await until(() => engine.connections === 2, "the link is back");
    await until(() => events.of("up").length >= 2, "the host is told");
    const [after] = await ask("r-3");
    say(answer(1, "three"));
    expect(await after).toBe("three");
  });

  test("while a reply of exactly the limit is read", async () => {
    const { ask, say } = await bench();
    const [waiting] = await ask("r-1");
    const text = "x".repeat(MAX - answer(1, "").length);
    say(answer(1, text));
    expect(await waiting).toBe(text);
  });
});

test("and abandoned requests are forgotten: their reply changes nothing", async () => {
  const engine = opened.add(await openScriptedEngine(), (it) => it.close());
  const events = new Events();
  const transport = await opened.connected({ url: engine.url, onEvent: events.onEvent });
  let settled = false;
  const exchange = transport.exchange(request("r-1"));
  void Promise.resolve(exchange.reply).finally(() => {
    settled = true;
  });
  const other = fate(transport, "r-2");
  await until(() => engine.requests.length >= 2, "the engine has both");
  exchange.abandon();
  engine.socket.send(answer(1, "late"));
  engine.socket.send(answer(2, "two"));
  expect(await other).toBe("two");
  expect(settled).toBe(false);
  expect(events.of("down")).toEqual([]);
});
