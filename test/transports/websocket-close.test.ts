import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { echo, fate, PatientEngine, request } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { openScriptedEngine, RawGateway } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

/** Sockets, servers and timers that keep this process alive. */
function held(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|Timeout|Immediate|TLS)/.test(kind)).length;
}

describe("D-LINK 13: no listener, timer or socket is left behind by a WebSocket link", () => {
  test("by either end, after a life with losses, whoever closes first", async () => {
    const before = held();
    for (const first of ["gateway", "engine"]) {
      const bus = await opened.bus();
      bus.listen(echo);
      const transport = await opened.connected({ url: bus.url });
      const idle = connect({ host: "127.0.0.1", port: Number(new URL(bus.url).port) });
      idle.on("error", () => {});
      await Promise.all(Array.from({ length: 100 }, (_, index) => fate(transport, `r-${index}`)));
      transport.exchange(request("unanswered")).abandon();
      const [one, other] = first === "gateway" ? [transport, bus] : [bus, transport];
      await one.close();
      await other.close();
      await until(() => idle.closed, "idle connections are cut");
    }
    await until(() => held() <= before, "everything is let go");
  });

  test("and an engine that does not answer the goodbye is left all the same", async () => {
    const before = held();
    const engine = await openScriptedEngine({ onConnection: (socket) => socket.pause() });
    const transport = await opened.connected({ url: engine.url });
    const waiting = fate(transport, "r-1");
    await new Promise((resolve) => setImmediate(resolve));
    await transport.close();
    expect(await waiting).toMatch(/unavailable/);
    await engine.close();
    await until(() => held() <= before, "everything is let go");
  });

  test("and a gateway that does not answer the goodbye is left all the same, and the port is free immediately", async () => {
    const bus = await opened.bus();
    const deaf = opened.add(await RawGateway.connect(bus.url), ({ socket }) => socket.terminate());
    deaf.socket.pause();
    await Promise.all([bus.close(), bus.close()]);
    const again = await opened.bus({ port: Number(new URL(bus.url).port) });
    expect(again.url).toBe(bus.url);
  });

  test("and 500 connections leave nothing on what outlives them, and every request has its outcome", async () => {
    const bus = await opened.bus();
    const engine = new PatientEngine();
    bus.listen(engine.handler);
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): number => warnings.push(message);
    process.on("warning", onWarning);
    const before = held();
    const fates: unknown[] = [];
    for (let round = 0; round < 500; round += 1) {
      const transport = await opened.connected({ url: bus.url });
      const waiting = fate(transport, `r-${round}`, "change");
      if (round % 2 === 0) await engine.has(`r-${round}`);
      await transport.close();
      fates.push(await waiting);
    }
    expect(fates.filter((known) => known === "unavailable, sent")).toHaveLength(250);
    expect(fates.filter((known) => known === "unavailable, not sent")).toHaveLength(250);
    await until(() => held() <= before, "everything is let go");
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });
});
