import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate, outcome, PatientEngine, request, turn } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const opened = new OpenedNats();
let server: NatsServer;

beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());
afterEach(() => opened.close());

describe("request and reply over NATS", () => {
  test("10,000 requests have their own replies, whatever the order in which the engine answers", async () => {
    const bus = await opened.bus({ servers: server.url });
    let order = 1;
    await bus.listen(async (asked): Promise<EngineReply> => {
      order = (order * 48_271) % 2_147_483_647;
      for (let turns = order % 5; turns > 0; turns -= 1) await turn();
      return echo(asked);
    });
    const transport = await opened.connected({ servers: server.url });
    const ids = Array.from({ length: 10_000 }, (_, index) => `r-${index}`);
    const answers: unknown[] = [];
    for (let from = 0; from < ids.length; from += 500) {
      answers.push(...(await Promise.all(ids.slice(from, from + 500).map((id) => fate(transport, id)))));
    }
    expect(answers).toEqual(ids);
  });

  test("a later request may get its reply first, and the engine sees them in the order of sending", async () => {
    const bus = await opened.bus({ servers: server.url });
    const engine = new PatientEngine();
    await bus.listen(engine.handler);
    const transport = await opened.connected({ servers: server.url });
    const fates = ["first", "second", "third"].map((id) => fate(transport, id));
    await engine.has("third");
    expect(engine.arrived).toEqual(["first", "second", "third"]);
    engine.answer("third");
    expect(await fates[2]).toBe("third");
    engine.answer("first");
    engine.answer("second");
    expect(await Promise.all(fates)).toEqual(["first", "second", "third"]);
  });

  test("a refusal arrives with its kind and its reason unchanged, whatever is in it", async () => {
    const bus = await opened.bus({ servers: server.url });
    const message = 'not ☂ "now"\r\nNats-Service-Error: x';
    await bus.listen(async () => ({ ok: false, refusal: "not-found", message }));
    const transport = await opened.connected({ servers: server.url });
    expect(await fate(transport, "r")).toBe(`not-found: ${message}`);
  });

  test("an engine that fails to reply gets a reply sent in its place, and continues", async () => {
    const bus = await opened.bus({ servers: server.url });
    await bus.listen((asked) => {
      if (asked.context.requestId === "bad") throw new Error("page 7 is corrupt");
      return echo(asked);
    });
    const transport = await opened.connected({ servers: server.url });
    expect(await fate(transport, "bad")).toBe("internal: page 7 is corrupt");
    expect(await fate(transport, "good")).toBe("good");
  });

  test("no responders means unavailable, not sent; and an engine that comes is found", async () => {
    const transport = await opened.connected({ servers: server.url, subjectPrefix: "nobody.v1" });
    expect(await fate(transport, "early", "stop")).toBe("unavailable, not sent");
    const bus = await opened.bus({ servers: server.url, subjectPrefix: "nobody.v1" });
    await bus.listen(echo);
    expect(await fate(transport, "later", "stop")).toBe("later");
    await bus.close();
    expect(await fate(transport, "too late", "stop")).toBe("unavailable, not sent");
  });

  test("two engines in one queue group share the requests; each request is seen once", async () => {
    const seen: string[][] = [[], []];
    for (const mine of seen) {
      const bus = await opened.bus({ servers: server.url, subjectPrefix: "shared.v1" });
      await bus.listen((asked) => {
        mine.push(asked.context.requestId);
        return echo(asked);
      });
    }
    const transport = await opened.connected({ servers: server.url, subjectPrefix: "shared.v1" });
    const ids = Array.from({ length: 200 }, (_, index) => `r-${index}`);
    expect(await Promise.all(ids.map((id) => fate(transport, id)))).toEqual(ids);
    expect(seen.flat().toSorted()).toEqual(ids.toSorted());
    expect(seen.map(({ length }) => length > 0)).toEqual([true, true]);
  });
});

describe("the bound on requests over NATS", () => {
  test("counts at the gateway's end what the server has not read, and is over when the server reads again", async () => {
    const slow = await opened.server();
    const bus = await opened.bus({ servers: slow.url });
    await bus.listen(echo);
    const transport = await opened.connected({ servers: slow.url, maxBufferedBytes: 4 * 1024 * 1024 });
    const text = "x".repeat(512 * 1024);
    const send = (id: string, lane: "change" | "stop") =>
      outcome(async () => transport.exchange(request(id, lane, { text })).reply);
    slow.freeze();
    const sent = Array.from({ length: 8 }, (_, index) => send(`r-${index}`, "change"));
    expect(await send("one more", "change")).toBe("overloaded, not sent");
    const stops = Array.from({ length: 2 }, (_, index) => send(`stop-${index}`, "stop"));
    expect(await send("stop too many", "stop")).toBe("overloaded, not sent");
    slow.thaw();
    expect(await Promise.all(sent)).toEqual(sent.map((_, index) => `r-${index}`));
    expect(await Promise.all(stops)).toEqual(["stop-0", "stop-1"]);
    await expect.poll(() => send("again", "change")).toBe("again");
  });

  test("counts at the engine's end what is in progress", async () => {
    const bus = await opened.bus({ servers: server.url, maxInFlight: 1, stopReserve: 1 });
    const engine = new PatientEngine();
    await bus.listen(engine.handler);
    const transport = await opened.connected({ servers: server.url });
    const first = fate(transport, "first");
    await engine.has("first");
    expect(await fate(transport, "second", "change")).toMatch(/^overloaded: .*nothing was begun$/);
    const stop = fate(transport, "stop", "stop");
    await engine.has("stop");
    expect(await fate(transport, "stop too many", "stop")).toMatch(/^overloaded: /);
    engine.answer("first");
    engine.answer("stop");
    expect(await Promise.all([first, stop])).toEqual(["first", "stop"]);
  });

  test("is the server's max_payload, too: a larger request is not sent, with that reason", async () => {
    const small = await opened.server({ configuration: "max_payload: 2048" });
    const bus = await opened.bus({ servers: small.url });
    await bus.listen(echo);
    const transport = await opened.connected({ servers: small.url });
    const send = () => transport.exchange(request("big", "change", { reason: "x".repeat(4_000) })).reply;
    expect(() => send()).toThrow(/has \d+ bytes, and the NATS server takes 2048 at most; nothing was sent/);
    expect(await outcome(async () => send())).toBe("too-large, not sent");
    expect(await fate(transport, "small")).toBe("small");
  });
});

describe("closing the NATS link", () => {
  test("tells pending requests that they may have arrived, and nothing can be sent any more", async () => {
    const bus = await opened.bus({ servers: server.url });
    const engine = new PatientEngine();
    await bus.listen(engine.handler);
    const transport = await opened.connected({ servers: server.url });
    const waiting = fate(transport, "r", "stop");
    await engine.has("r");
    await transport.close();
    await transport.close();
    expect(await waiting).toBe("unavailable, sent");
    expect(await fate(transport, "s", "stop")).toBe("unavailable, not sent");
    await expect(transport.start()).rejects.toThrow(/closed/);
  });

  test("lets the engine's end finish requests in progress", async () => {
    const bus = await openNatsBus({ servers: server.url });
    const engine = new PatientEngine();
    await bus.listen(engine.handler);
    const transport = await opened.connected({ servers: server.url });
    const waiting = fate(transport, "r", "stop");
    await engine.has("r");
    const closing = bus.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    engine.answer("r");
    expect(await waiting).toBe("r");
    await closing;
  });

  test("lets the engine's end reply under load to what it was given; the rest finds nobody and is not sent", async () => {
    const transport = await opened.connected({ servers: server.url });
    const outcomes: unknown[] = [];
    for (let round = 0; round < 10; round += 1) {
      const bus = await openNatsBus({ servers: server.url });
      await bus.listen(echo);
      const fates: Promise<unknown>[] = [];
      const send = (): void => {
        for (let count = 0; count < 20; count += 1) fates.push(fate(transport, "r", "stop"));
      };
      send();
      expect(await fates[0]).toBe("r");
      send();
      const closing = bus.close();
      for (let turns = 0; turns < 20; turns += 1) {
        send();
        await turn();
      }
      await closing;
      outcomes.push(...(await Promise.all(fates)));
    }
    expect(outcomes).toHaveLength(10 * 22 * 20);
    expect(new Set(outcomes)).toEqual(new Set(["r", "unavailable, not sent"]));
  });

  test("works at the engine's end although its server is gone", async () => {
    const lost = await opened.server();
    const bus = await openNatsBus({ servers: lost.url, closeTimeoutMs: 50 });
    await bus.listen(echo);
    await lost.stop();
    await bus.close();
  });

  test("D-LINK 13: leaves no socket and no timer of 100 NATS connections behind", async () => {
    const resources = (): number => process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).length;
    const bus = await opened.bus({ servers: server.url });
    await bus.listen(echo);
    const before = resources();
    for (let index = 0; index < 100; index += 1) {
      const transport = new NatsTransport({ servers: server.url });
      await transport.start();
      await until(() => transport.state === "up", "the link is up");
      expect(await fate(transport, `r-${index}`)).toBe(`r-${index}`);
      await transport.close();
    }
    await expect.poll(resources).toBeLessThanOrEqual(before);
  });

  test("ends a transport that never found a server", async () => {
    const events = new Events();
    const transport = new NatsTransport({ servers: "nats://127.0.0.1:1", onEvent: events.onEvent });
    await transport.start();
    await until(() => events.of("down").length > 0, "the server is reported away");
    expect(await fate(transport, "r")).toBe("unavailable, not sent");
    await transport.close();
    expect(events.of("down")).toHaveLength(1);
  });
});
