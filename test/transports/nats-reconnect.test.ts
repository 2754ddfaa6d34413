import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { NatsTransport } from "../../transports/nats.ts";
import type { NatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { answered, Events, echo, fate, outcome, PatientEngine, request, turn } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const CUTS = 30;
const BURST = 40;

const opened = new OpenedNats();
let server: NatsServer;
let events: Events;

beforeEach(async () => {
  server = await opened.server();
  events = new Events();
});
afterEach(() => opened.close());

/** Something that takes connections and says at most this. */
async function startStranger(greeting?: string): Promise<{ url: string; open: Set<Socket>; taken(): number }> {
  const open = new Set<Socket>();
  let taken = 0;
  const stranger = createServer((socket) => {
    taken += 1;
    open.add(socket);
    socket.once("close", () => open.delete(socket)).on("error", () => {});
    if (greeting !== undefined) socket.write(greeting);
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  opened.add(stranger, () => {
    for (const socket of open) socket.destroy();
    stranger.close();
  });
  return { url: `nats://127.0.0.1:${(stranger.address() as AddressInfo).port}`, open, taken: () => taken };
}

describe("D-ENG 2: nothing is ever sent twice, and nothing that was refused is sent", () => {
  test("under a stream of commands and many cuts", async () => {
    const seen = new Map<string, number>();
    const bus = await opened.bus({ servers: server.url });
    await bus.listen((asked) => {
      const { requestId } = asked.context;
      seen.set(requestId, (seen.get(requestId) ?? 0) + 1);
      return echo(asked);
    });
    const proxy = await opened.proxy(server);
    const transport = await opened.connected({ servers: `nats://127.0.0.1:${proxy.port}` });
    const fates = new Map<string, unknown>();
    let count = 0;
    const burst = (): void => {
      for (const end = count + BURST; count < end; count += 1) {
        const id = `r-${count}`;
        void fate(transport, id, "stop").then((what) => fates.set(id, what));
      }
    };
    for (let cut = 0; cut < CUTS; cut += 1) {
      await until(() => transport.state === "up", "the link is up");
      burst();
      // Some are answered, some get no further than the proxy, some not even there.
      for (let turns = cut; turns > 0; turns -= 1) await turn();
      burst();
      proxy.destroyAll();
      burst();
      await until(() => transport.state === "down", "the loss is noticed");
      burst();
    }
    await until(() => transport.state === "up", "the link is up at last");
    expect(await fate(transport, "last", "stop")).toBe("last");
    const refused = [...fates].filter(([, what]) => what === "unavailable, not sent").map(([id]) => id);
    expect(refused.length).toBeGreaterThanOrEqual(CUTS * BURST);
    expect(refused.filter((id) => seen.has(id))).toEqual([]);
    expect([...seen].filter(([, times]) => times > 1)).toEqual([]);
    await transport.close();
    await until(() => fates.size === count, "all are settled");
    const unknown = [...fates].filter(([, what]) => what === "unavailable, sent").map(([id]) => id);
    expect(unknown.length).toBeGreaterThan(0);
    expect(seen.size).toBeGreaterThan(CUTS);
    expect([...fates].filter(([id, what]) => what === id && !seen.has(id))).toEqual([]);
  });

  test("though an engine's end that was disconnected while it worked replies over its next connection", async () => {
    const engine = new PatientEngine();
    const bus = await opened.bus({ servers: server.url, onEvent: events.onEvent });
    await bus.listen(engine.handler);
    const transport = await opened.connected({ servers: server.url });
    const waiting = fate(transport, "r", "stop");
    await engine.has("r");
    await server.restart();
    await until(() => transport.state === "up" && events.of("up").length >= 2, "both ends are back");
    engine.answer("r");
    expect(await waiting).toBe("r");
    expect(engine.arrived).toEqual(["r"]);
  });

  test("though a reply without a connection is reported, and the engine's end continues", async () => {
    const engine = new PatientEngine();
    const bus = await opened.bus({ servers: server.url, onEvent: events.onEvent });
    await bus.listen(engine.handler);
    const transport = await opened.connected({ servers: server.url });
    transport.exchange(request("r", "stop")).abandon();
    await engine.has("r");
    await server.crash();
    await until(() => events.of("down").length >= 1, "the loss is noticed");
    engine.answer("r");
    await until(() => events.of("problem").length >= 1, "it is reported");
    expect(events.of("problem")[0]).toContain("haltTrading cannot be sent: there is no connection");
    await server.restart();
    await until(() => transport.state === "up" && events.of("up").length >= 2, "both ends are back");
    const again = fate(transport, "s", "stop");
    await engine.has("s");
    engine.answer("s");
    expect(await again).toBe("s");
  });

  test("and an engine that is restarted leaves requests unanswered, and the next one does not get them", async () => {
    const engine = new PatientEngine();
    const first = await opened.bus({ servers: server.url });
    await first.listen(engine.handler);
    const transport = await opened.connected({ servers: server.url });
    const lost = transport.exchange(request("lost", "stop"));
    await engine.has("lost");
    await first.close();
    const second = await opened.bus({ servers: server.url });
    await second.listen(engine.handler);
    const found = fate(transport, "found", "stop");
    await engine.has("found");
    engine.answer("lost");
    engine.answer("found");
    expect(await found).toBe("found");
    expect(engine.arrived).toEqual(["lost", "found"]);
    expect(await Promise.race([lost.reply, Promise.resolve("pending")])).toBe("pending");
    lost.abandon();
  });
});

describe("a NATS link that is down is reported, and comes back", () => {
  test("with one report for the same reason, however often it is tried", async () => {
    const transport = await opened.connected({ servers: server.url, onEvent: events.onEvent });
    for (let round = 2; round < 5; round += 1) {
      await server.restart();
      await until(() => transport.state === "up" && events.of("up").length === round, "it is back");
    }
    await server.stop();
    await until(() => events.all.at(-1)?.message.endsWith("connection refused") === true, "it is away");
    const told = events.all.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(events.all).toHaveLength(told);
    expect(await fate(transport, "r", "stop")).toBe("unavailable, not sent");
  });

  test("after a frozen server, which both ends notice", async () => {
    const engineEvents = new Events();
    const bus = await opened.bus({ servers: server.url, onEvent: engineEvents.onEvent });
    await bus.listen(echo);
    const transport = await opened.connected({ servers: server.url, onEvent: events.onEvent });
    server.freeze();
    await until(() => transport.state === "down" && engineEvents.of("down").length > 0, "it is noticed");
    expect(events.of("down")[0]).toContain("nothing came within 1200 ms of a ping");
    expect(await fate(transport, "r", "stop")).toBe("unavailable, not sent");
    server.thaw();
    await answered(transport, "s");
  });

  test("D-LINK 14: on another server of several, without waiting for one that hangs", async () => {
    const mute = await startStranger();
    const other = await opened.server();
    const servers = [mute.url, server.url, other.url];
    const transport = await opened.connected({ servers, onEvent: events.onEvent });
    for (let round = 0; round < 2; round += 1) {
      const up = events.of("up").at(-1) ?? "";
      const [used, next] = up.endsWith(server.url) ? [server, other] : [other, server];
      used.freeze();
      await until(() => events.of("up").at(-1)?.endsWith(next.url) === true, "the other one is found");
      used.thaw();
    }
    expect(transport.state).toBe("up");
    // A server that says nothing within five seconds would be a reason for "down".
    expect(events.of("down").filter((reason) => !reason.includes("of a ping"))).toEqual([]);
  });

  test("on one server of several, and on another one when it goes", async () => {
    const other = await opened.server();
    const servers = ["nats://127.0.0.1:1", server.url, other.url];
    const transport = await opened.connected({ servers, onEvent: events.onEvent });
    await server.stop();
    await until(() => transport.state === "up" && events.of("up").at(-1)?.endsWith(other.url) === true, "it is found");
    await other.stop();
    await until(
      () => events.of("down").some((message) => message.includes(`${other.url}: connection`)),
      "all are away",
    );
    expect(events.of("down").at(-1)).toContain("nats://127.0.0.1:1: connection refused");
  });
});

test("D-LINK 19: a stop that finds no link brings the next attempt to connect forward, a read and a change do not", async () => {
  // The pauses take hours.
  const random = vi.spyOn(Math, "random").mockReturnValue(100_000);
  onTestFinished(() => random.mockRestore());
  const stranger = await startStranger("SSH-2.0-OpenSSH_9.2\r\n");
  const transport = await opened.transport({ servers: stranger.url, onEvent: events.onEvent });
  await until(() => events.of("down").length > 0, "the first attempt has failed");
  const tried = async (lane: "read" | "change" | "stop"): Promise<number> => {
    expect(() => transport.exchange(request("r", lane))).toThrow("There is no connection to the NATS server");
    for (let count = 0; count < 20; count += 1) await turn();
    return stranger.taken();
  };
  expect([await tried("read"), await tried("change")]).toEqual([1, 1]);
  await tried("stop");
  await until(() => stranger.taken() >= 2, "it is tried again");
});

describe("a server that is not a NATS server", () => {
  test("is named as such", async () => {
    const stranger = await startStranger("SSH-2.0-OpenSSH_9.2\r\n");
    await opened.transport({ servers: stranger.url, onEvent: events.onEvent });
    await until(() => events.of("down").length > 0, "it is reported");
    expect(events.of("down")[0]).toContain("it is not a NATS server");
  });

  test("holds no more than one socket when it says nothing, and close does not wait for it", async () => {
    const stranger = await startStranger();
    const transport = new NatsTransport({ servers: stranger.url, onEvent: events.onEvent });
    await transport.start();
    await until(() => stranger.taken() === 2, "it is tried again");
    expect(events.of("down")).toEqual([expect.stringContaining("it said nothing within 5000 ms")]);
    await until(() => stranger.open.size === 1, "the first attempt is over");
    await transport.close();
    await until(() => stranger.open.size === 0, "nothing is left");
    expect(await outcome(async () => transport.exchange(request("r")).reply)).toBe("unavailable, not sent");
  });
});
