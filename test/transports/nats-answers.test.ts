import { connect, headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Gate } from "../../src/core/load/gate.ts";
import { longListIn } from "../../src/core/load/long-list.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { NatsTransport } from "../../transports/nats.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { restOfOthers } from "../support/rest-of-others.ts";
import { until } from "../support/until.ts";
import { Events, fate } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const PREFIX = "trading-admin.v1";

const opened = new OpenedNats();
let server: NatsServer;
let engine: NatsConnection;
let events: Events;

beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  events = new Events();
  engine = opened.add(await connect({ servers: server.url }), (connection) => connection.close());
});
afterEach(() => opened.close());

/** A gateway's end whose engine is a script, with none of our code for engines. */
async function scripted(answer: (message: Msg) => void, gate?: Gate): Promise<NatsTransport> {
  engine.subscribe(`${PREFIX}.*`, { callback: (_error, message) => answer(message) });
  await engine.flush();
  return opened.connected({ servers: server.url, gate, onEvent: events.onEvent });
}

function idOf(message: Msg): string {
  return message.json<{ context: { requestId: string } }>().context.requestId;
}

describe("D-LINK 4: a NATS message that is not a reply costs only the request concerned, whose outcome is unknown", () => {
  test.each([
    ["nothing", ""],
    ["JSON that is cut off", '{"result":{"na'],
    ["text that is not UTF-8", Buffer.from('{"result":"\xff"}', "latin1")],
    ["a batch", "[]"],
    ["null", "null"],
    ["neither result nor error", "{}"],
    ["both result and error", '{"result":1,"error":{"code":-32001,"message":"no"}}'],
    ["an error that is null", '{"error":null}'],
    ["an error without a code", '{"error":{"message":"no"}}'],
    ["an error without a message", '{"error":{"code":-32001}}'],
    ["an error whose code is not an integer", '{"error":{"code":1.5,"message":"no"}}'],
    ["brackets without an end", "[".repeat(100_000)],
  ])("such as %s", async (_what, payload) => {
    const transport = await scripted((message) => {
      message.respond(idOf(message) === "bad" ? payload : JSON.stringify({ result: idOf(message) }));
    });
    const fates = await Promise.all(["one", "bad", "two"].map((id) => fate(transport, id, "stop")));
    expect(fates).toEqual(["one", "protocol, sent", "two"]);
    expect(transport.state).toBe("up");
    expect(events.all.map(({ kind }) => kind)).toEqual(["up"]);
  });

  test("unlike a reply with the headers of a refusal and a payload", async () => {
    const transport = await scripted((message) => {
      message.respond('{"result":"there"}', { headers: headers(503, "No Responders") });
    });
    expect(await fate(transport, "r")).toBe("there");
  });
});

describe("D-LOAD 2: a long reply over NATS is parsed in turns of the gate", () => {
  test("and a short one behind it is not kept waiting", async () => {
    const clock = new ManualClock();
    const gate = new Gate(clock);
    const rows = Array.from({ length: 10_000 }, (_, index) => `row ${index}`);
    const asked: Msg[] = [];
    const transport = await scripted((message) => asked.push(message), gate);
    const settled: string[] = [];
    const [long, short] = ["long", "short"].map((id) => fate(transport, id).finally(() => settled.push(id)));
    await until(() => asked.length >= 2, "the engine has both requests");
    const proceed = await restOfOthers({ api: { gate }, clock });
    for (const message of asked) message.respond(JSON.stringify({ result: idOf(message) === "long" ? rows : "fine" }));
    expect(await short).toBe("fine");
    expect(settled).toEqual(["short"]);
    proceed();
    expect(longListIn(await long)?.with([])).toEqual([]);
  });
});

describe("D-LINK 4: a reply over NATS that no request waits for is reported and nothing more", () => {
  test("such as a second one, and one for no request", async () => {
    const transport = await scripted((message) => {
      message.respond('{"result":"first"}');
      message.respond('{"result":"second"}');
      engine.publish(`${message.reply?.replace(/\.\d+$/, "")}.4711`, '{"result":"stranger"}');
    });
    expect(await fate(transport, "r")).toBe("first");
    await until(() => events.of("problem").length >= 2, "both are reported");
    expect(events.of("problem")[1]).toContain("4711");
    expect(await fate(transport, "s")).toBe("first");
  });

  test("such as a second one that says that there is no engine", async () => {
    const transport = await scripted((message) => {
      message.respond('{"result":"first"}');
      message.respond("", { headers: headers(503, "No Responders") });
    });
    expect(await fate(transport, "r", "stop")).toBe("first");
    await until(() => events.of("problem").length >= 1, "it is reported");
  });

  test("such as ids that only look like those of a pending request", async () => {
    const transport = await scripted((message) => {
      const { reply = "" } = message;
      for (const id of ["01", "1e0", "+1", "0x1", "1.0", "one", "1\u00a0"]) {
        engine.publish(reply.replace(/\d+$/, id), '{"result":"forged"}');
      }
      message.respond('{"result":"true"}');
    });
    expect(await fate(transport, "r")).toBe("true");
    await until(() => events.of("problem").length >= 6, "all but the one with a dot, which is not an id, are reported");
  });
});
