import { expect, it } from "vitest";
import { WebSocketTransport } from "../../transports/websocket.ts";
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
      "(give the transport `onEvent` to have this elsewhere)",
  ]);
});
