import { expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { MemoryAudit } from "../../src/testing/rig.ts";
import { openWebSocketBus, SeparateLanes, WebSocketTransport } from "../../transports/websocket.ts";
import { freePort } from "../support/ports.ts";
import { until } from "../support/until.ts";
import { warningsDuring } from "../support/warnings.ts";

it("D-LOG 27: a transport without onEvent warns once why there is no link, however many attempts fail", async () => {
  const port = await freePort();
  const transport = new WebSocketTransport({
    url: `ws://127.0.0.1:${port}`,
    reconnect: { initialMs: 1, maxMs: 1 },
  });
  let warned = 0;
  const warnings = await warningsDuring(async () => {
    const listen = (): void => {
      warned += 1;
    };
    process.on("warning", listen);
    await transport.start();
    await until(() => warned > 0, "it has warned");
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("warning", listen);
  });
  await transport.close();
  expect(warnings).toEqual([
    `No connection to the engine at ws://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}\n` +
      "(give AdminApi a `log`, or the transport `onEvent`, to have this elsewhere)",
  ]);
});

it("D-LOG 27: a transport without onEvent says in the log of its API why there is no link, that it is up, and that the engine was restarted", async () => {
  const port = await freePort();
  const token = "of-the-engine";
  const link = { url: `ws://127.0.0.1:${port}`, token, reconnect: { initialMs: 1, maxMs: 1 } };
  const lines: string[] = [];
  const log = {
    info: (message: string) => void lines.push(`info ${message}`),
    warn: (message: string) => void lines.push(`warn ${message}`),
    error: (message: string) => void lines.push(`error ${message}`),
  };
  const has = (part: string): Promise<unknown> => until(() => lines.some((line) => line.includes(part)), part);
  const transport = new SeparateLanes(new WebSocketTransport(link), new WebSocketTransport(link));
  const api = new AdminApi({ transport, audit: new MemoryAudit(), log });
  const warnings = await warningsDuring(async () => {
    await api.start();
    await has(`error No connection to the engine at ${link.url}: connect ECONNREFUSED`);
    const wrong = await openWebSocketBus({ host: "127.0.0.1", port, token: "another" });
    await has("401 Unauthorized; check the token");
    await wrong.close();
    const first = await openWebSocketBus({ host: "127.0.0.1", port, token });
    await has(`info Connected to the engine at ${link.url}`);
    await first.close();
    const second = await openWebSocketBus({ host: "127.0.0.1", port, token });
    await has("warn The engine was restarted");
    await api.close();
    await second.close();
  });
  expect(warnings).toEqual([]);
});
