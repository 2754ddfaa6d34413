import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Connections } from "../../src/gateway/server/connections.ts";
import { Handshakes } from "../../src/gateway/server/handshakes.ts";

/** Connections that came together: none can close before the last has come. */
function sockets(count: number): Socket[] {
  return Array.from({ length: count }, () => new Socket());
}

describe("D-LOAD 10: one connection makes room for each above the limit, also while others are still closing", () => {
  it("among those that are open", () => {
    const [connections, all] = [new Connections(20), sockets(60)];
    for (const socket of all) connections.accept(socket);
    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 40));
    expect([connections.size, connections.dropped]).toEqual([20, 40]);
  });

  it("and where all have a request, among those that were never of use and ask for no stop, the oldest first", () => {
    const connections = new Connections(5);
    const [known, stopping, ...busy] = sockets(5);
    const begin = (socket: Socket | undefined, mayBeStop = false): ServerResponse => {
      const request = Object.assign(new IncomingMessage(new Socket()), { complete: true });
      const response = new ServerResponse(request);
      if (socket) connections.accept(socket);
      if (socket) connections.track(socket, response, mayBeStop, () => {});
      return response;
    };
    const useful = begin(known);
    Object.defineProperty(useful, "writableFinished", { value: true });
    useful.emit("close");
    for (const socket of [known, ...busy]) begin(socket);
    begin(stopping, true);
    const next = sockets(4);
    for (const socket of next) begin(socket);
    expect([known, stopping, ...busy, ...next].map((socket) => socket?.destroyed)).toEqual([
      ...[false, false],
      ...[true, true, true],
      ...[true, false, false, false],
    ]);
  });

  it("among those in a TLS handshake", () => {
    const [handshakes, all] = [new Handshakes(), sockets(60)];
    for (const socket of all) handshakes.begin(socket, 20);
    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 40));
    handshakes.end();
    expect(all.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
