import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EngineReply, EngineRequest } from "../../src/core/engine/transport.ts";
import { busMethods } from "../../src/core/operations/table.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate, request } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const PREFIX = "trading-admin.v1";
const MAX_PAYLOAD = 32 * 1024;

const opened = new OpenedNats();
let server: NatsServer;
let client: NatsConnection;
let events: Events;
let seen: EngineRequest[];

beforeAll(async () => {
  server = await startNatsServer({ configuration: `max_payload: ${MAX_PAYLOAD}` });
});
afterAll(() => server.stop());
beforeEach(async () => {
  events = new Events();
  seen = [];
  client = opened.add(await connect({ servers: server.url }), (connection) => connection.close());
});
afterEach(() => opened.close());

/** An engine's end that notes what it is asked. */
async function openEngine(handler: EngineHandler): Promise<void> {
  const bus = await opened.bus({ servers: server.url, onEvent: events.onEvent });
  await bus.listen((asked) => {
    seen.push(asked);
    return handler(asked);
  });
}

const PARAMS = { input: {}, context: { user: "alice", requestId: "r", deadline: 9_000_000_000_000 } };

describe("docs/engine/bus.md, over NATS", () => {
  test("has a subject for each operation; params are the payload; method, lane, input and context reach the engine", async () => {
    await openEngine(echo);
    const heard: [string, unknown][] = [];
    client.subscribe(`${PREFIX}.*`, {
      callback: (_error, { subject, ...message }) => void heard.push([subject, message]),
    });
    await client.flush();
    const transport = await opened.connected({ servers: server.url });
    for (const method of busMethods) {
      const { context } = request(method);
      const input = { name: `Ünï ☂ of ${method}` };
      const traced = { ...context, traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
      const { reply } = transport.exchange({ method, lane: "read", input, context: traced });
      expect(await reply).toEqual({ ok: true, result: method });
      expect(seen.at(-1)).toMatchObject({ method, input, context: traced });
    }
    await until(() => heard.length === busMethods.length, "the tap has heard them all");
    expect(heard.map(([subject]) => subject)).toEqual(busMethods.map((name) => `${PREFIX}.${name}`));
    expect(seen.map(({ lane }) => lane).filter((lane) => lane === "stop")).toHaveLength(4);
  });

  test("hands over the requests of one gateway in the order of sending, whatever their subjects", async () => {
    await openEngine(echo);
    const transport = await opened.connected({ servers: server.url });
    const all = Array.from({ length: 2_000 }, (_, index) => ({
      ...request(`r-${index}`),
      method: busMethods[(index * 7) % busMethods.length] ?? "listServices",
    }));
    await Promise.all(all.map((one) => transport.exchange(one).reply));
    expect(seen.map(({ context }) => context.requestId)).toEqual(all.map(({ context }) => context.requestId));
  });
});

describe("D-LINK 4: a NATS message that is not a request gets its fault as the reply and is not carried out", () => {
  test.each([
    ["nothing", "", -32700],
    ["no JSON", "{", -32700],
    ["text that is not UTF-8", Buffer.from('{"input":{"a":"\xff"}}', "latin1"), -32700],
    ["no context", '{"input":{}}', -32602],
    ["an input that is not an object", JSON.stringify({ ...PARAMS, input: [] }), -32602],
    ["a deadline in words", JSON.stringify({ ...PARAMS, context: { ...PARAMS.context, deadline: "soon" } }), -32602],
  ])("such as %s", async (_what, payload, code) => {
    await openEngine(echo);
    const answer = await client.request(`${PREFIX}.haltTrading`, payload, { timeout: 10_000 });
    expect(answer.json()).toMatchObject({ error: { code } });
    expect(answer.headers?.get("Nats-Service-Error-Code")).toBe(String(code));
    expect(seen).toEqual([]);
    expect((await client.request(`${PREFIX}.haltTrading`, JSON.stringify(PARAMS))).json()).toEqual({ result: "r" });
  });

  test("nor is there a subject for an operation that the contract does not have", async () => {
    await openEngine(echo);
    await expect(client.request(`${PREFIX}.dropTables`, "{}")).rejects.toThrow(/no responders/);
  });

  test("and a command that does not say where to reply is reported", async () => {
    await openEngine(echo);
    client.publish(`${PREFIX}.haltTrading`, JSON.stringify(PARAMS));
    await until(() => events.of("problem").length >= 1, "it is reported");
    expect(events.of("problem")[0]).toContain("haltTrading does not say where to reply");
    expect(seen).toEqual([]);
  });
});

describe("an engine that fails gets a reply sent in its place, and continues", () => {
  test.each<[string, (asked: EngineRequest) => Promise<EngineReply>]>([
    ["rejects", () => Promise.reject(new Error("page 7 is corrupt"))],
    [
      "throws what is not an error",
      () => {
        throw "page 7 is corrupt";
      },
    ],
  ])("it %s", async (_how, fail) => {
    await openEngine((asked) => (asked.context.requestId === "bad" ? fail(asked) : echo(asked)));
    const transport = await opened.connected({ servers: server.url });
    expect(await fate(transport, "bad", "stop")).toBe("internal: page 7 is corrupt");
    expect(await fate(transport, "good", "stop")).toBe("good");
  });

  test.each([
    ["JSON cannot hold", 1n, "BigInt"],
    [
      "is larger than the server carries",
      "x".repeat(MAX_PAYLOAD),
      `more than the NATS server accepts (${MAX_PAYLOAD})`,
    ],
  ])(
    "after a result that %s: the command was carried out, so its outcome is not claimed",
    async (_what, result, reason) => {
      await openEngine(async (asked) => (asked.context.requestId === "bad" ? { ok: true, result } : echo(asked)));
      const transport = await opened.connected({ servers: server.url });
      expect(await fate(transport, "bad", "stop")).toMatch(/^internal: The reply cannot be sent/);
      expect(events.of("problem").join()).toContain(reason);
      expect(await fate(transport, "good", "stop")).toBe("good");
    },
  );

  test("with a reason of many lines, which reaches the caller whole, and NATS tools on one line", async () => {
    const message = `first\r\nNats-Service-Error-Code: 0\u2028\u0000\u001b[31m${"long ".repeat(100)}`;
    await openEngine(async () => ({ ok: false, refusal: "rejected", message }));
    const transport = await opened.connected({ servers: server.url });
    expect(await fate(transport, "r", "stop")).toBe(`rejected: ${message}`);
    const answer = await client.request(`${PREFIX}.haltTrading`, JSON.stringify(PARAMS));
    expect(answer.headers?.values("Nats-Service-Error-Code")).toEqual(["-32001"]);
    expect(answer.headers?.get("Nats-Service-Error")).toMatch(/^first Nats-Service-Error-Code: 0 \[31mlong [a-z ]+$/);
    expect(answer.headers?.get("Nats-Service-Error").length).toBeLessThanOrEqual(200);
  });
});

describe("D-LINK 11: STATS of a NATS micro service (ADR-32)", () => {
  test("show the time spent in nanoseconds, of each endpoint, whichever member of the service is asked", async () => {
    await openEngine(async (asked) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return echo(asked);
    });
    const transport = await opened.connected({ servers: server.url });
    await Promise.all(["a", "b"].map((id) => fate(transport, id, "stop")));
    const message = await client.request("$SRV.STATS.trading-admin-engine");
    const { endpoints = [] } = message.json<{ endpoints?: Record<string, unknown>[] }>();
    expect(endpoints).toHaveLength(busMethods.length);
    const halt = endpoints.find(({ name }) => name === "haltTrading");
    expect(halt).toMatchObject({ num_requests: 2, num_errors: 0, last_error: "" });
    expect(Number(halt?.processing_time)).toBeGreaterThan(2 * 20e6);
    expect(halt?.average_processing_time).toBe(Math.trunc(Number(halt?.processing_time) / 2));
    expect(endpoints.find(({ name }) => name === "resumeTrading")).toMatchObject({ average_processing_time: 0 });
  });
});
