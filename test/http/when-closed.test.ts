import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { adminHandler } from "../../src/http/node.ts";
import { whenClosed } from "../../src/http/when-closed.ts";
import { startTestRig } from "../../src/testing/rig.ts";

const server = createServer();
let caller: Socket | undefined;

afterEach(async () => {
  caller?.destroy();
  server.removeAllListeners("request").closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

/** Three requests of one connection, none of which has a response yet. */
async function pipelined(serve: (response: ServerResponse, number: number) => void): Promise<Socket> {
  let number = 0;
  const all = new Promise<void>((resolve) => {
    server.on("request", (_request, response) => {
      number += 1;
      serve(response, number);
      if (number === 3) resolve();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  caller = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  caller.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
  await all;
  return caller;
}

describe("D-ENG 16: whatever is counted for a response is counted until it is closed, and no longer", () => {
  it.each(["reset", "ended"])("also of those that wait behind another when their connection is %s", async (how) => {
    const closed: number[] = [];
    const socket = await pipelined((response, number) => {
      whenClosed(response.req, response, () => closed.push(number));
    });
    expect(closed).toEqual([]);
    if (how === "reset") socket.resetAndDestroy();
    else socket.destroy();
    await expect.poll(() => closed.toSorted()).toEqual([1, 2, 3]);
  });

  it("once of each, in a connection that stays", async () => {
    const closed: number[] = [];
    const responses: ServerResponse[] = [];
    const socket = await pipelined((response, number) => {
      responses.push(response);
      whenClosed(response.req, response, () => closed.push(number));
    });
    responses[0]?.end();
    await expect.poll(() => closed).toEqual([1]);
    for (const response of responses) response.end();
    await expect.poll(() => closed).toEqual([1, 2, 3]);
    socket.destroy();
    await expect.poll(() => responses[0]?.req.socket.destroyed).toBe(true);
    expect(closed).toEqual([1, 2, 3]);
  });

  it("of one whose connection was closed before", async () => {
    const responses: ServerResponse[] = [];
    const socket = await pipelined((response) => responses.push(response));
    socket.destroy();
    await expect.poll(() => responses[2]?.req.socket.destroyed).toBe(true);
    let calls = 0;
    for (const response of responses) whenClosed(response.req, response, () => (calls += 1));
    expect(calls).toBe(3);
  });
});

it("D-ENG 2: large responses of a connection that is lost are no longer counted, those behind the first neither", async () => {
  const rig = await startTestRig();
  const content = "x".repeat(10 * 1024 * 1024);
  const documents = [{ path: "/documents/large", contentType: "text/plain", content }];
  const options = {
    authenticator: { authenticate: () => ({ kind: "principal" as const, principal: principal("chief", PERMISSIONS) }) },
    documents,
  };
  const statuses: number[] = [];
  server.on("request", adminHandler(rig.api, { ...options, onResponse: ({ status }) => void statuses.push(status) }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  for (let round = 1; round <= 3; round += 1) {
    caller = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    caller.pause().write("GET /documents/large HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3));
    await expect.poll(() => statuses.length).toBe(3 * round);
    caller.resetAndDestroy();
    await expect.poll(() => promisify(server.getConnections.bind(server))()).toBe(0);
  }
  expect(statuses).toEqual(Array(9).fill(200));
  await rig.close();
});
