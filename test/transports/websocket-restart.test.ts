import { afterEach, describe, expect, test } from "vitest";
import { EngineWatch } from "../../transports/websocket.ts";
import { freePort } from "../support/ports.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate } from "./support/link.ts";
import { OpenedWebSockets, proxyUrl } from "./support/websocket-link.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

describe("D-LINK 17: an engine that was restarted over WebSocket", () => {
  test("is reported once, whatever number of links there are; a link that is made again is not", async () => {
    const events = new Events();
    const engineWatch = new EngineWatch(events.onEvent);
    const first = await opened.bus({ port: await freePort() });
    first.listen(echo);
    const proxy = await opened.proxy(first);
    const links = [
      await opened.connected({ url: proxyUrl(proxy), engineWatch }),
      await opened.connected({ url: proxyUrl(proxy), engineWatch }),
    ];
    const bothUp = (): boolean => links.every(({ state }) => state === "up");
    proxy.refuse();
    proxy.destroyAll();
    await until(() => links.every(({ state }) => state === "down"), "the links are lost");
    proxy.accept();
    await until(bothUp, "the links are back");
    expect([events.all, engineWatch.states]).toEqual([[], 1]);
    await first.close();
    const second = await opened.bus({ port: Number(new URL(first.url).port) });
    second.listen(echo);
    await until(bothUp, "the links are back");
    for (const link of links) expect(await fate(link, "r")).toBe("r");
    expect(events.of("restarted")).toEqual([expect.stringMatching(/restarted, or another one has taken its place/)]);
  });

  test("D-LINK 18: a reply above 80 % of what a link reads is reported once for each operation", async () => {
    const events = new Events();
    const bus = await opened.bus();
    bus.listen(async ({ context }) => ({ ok: true, result: "x".repeat(Number(context.requestId)) }));
    const link = await opened.connected({ url: bus.url, maxMessageBytes: 10_000, onEvent: events.onEvent });
    for (const size of ["7000", "9000", "9500"]) await fate(link, size);
    expect(events.of("near-limit")).toEqual([expect.stringMatching(/^A reply to listServices has 90\d\d bytes, 90 %/)]);
  });
});
