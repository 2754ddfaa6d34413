import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { MAX_IDLE, MonitorConnections } from "../../../src/gateway/proxy/connections.ts";

it("D-LOAD 10: no more connections to the monitor are kept idle than are counted against the open files", async () => {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => responses.push(response)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connections = new MonitorConnections({
    url: new URL(`http://127.0.0.1:${port}`),
    ca: undefined,
    connectTimeoutMs: 5_000,
  });
  onTestFinished(() => connections.close());
  const { agent } = connections;
  const ended = Array.from({ length: MAX_IDLE + 20 }, async () => {
    const [response] = await once(request({ port, host: "127.0.0.1", agent }).end(), "response");
    await once(response.resume(), "close");
  });
  // All together, so that each has its own connection.
  await expect.poll(() => responses.length).toBe(MAX_IDLE + 20);
  for (const response of responses) response.end();
  await Promise.all(ended);
  const count = (sockets: typeof agent.sockets): number =>
    Object.values(sockets).reduce((sum, own = []) => sum + own.length, 0);
  await expect.poll(() => [count(agent.sockets), count(agent.freeSockets)]).toEqual([0, MAX_IDLE]);
});
