import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Connections } from "../../src/gateway/server/connections.ts";
import { Handshakes } from "../../src/gateway/server/handshakes.ts";

/** Connections that came at once: none can close before the last has come. */
function sockets(count: number): Socket[] {
  return Array.from({ length: count }, (_, index) =>
    Object.defineProperties(new Socket(), { remoteAddress: { value: "127.0.0.1" }, remotePort: { value: index } }),
  );
}

describe("D-LOAD 10: one connection makes room for each above the limit, also while others are still closing", () => {
  it("among those that are open", () => {
    const [connections, all] = [new Connections(20), sockets(60)];
    for (const socket of all) connections.accept(socket);
    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 40));
    expect([connections.size, connections.dropped]).toEqual([20, 40]);
  });

  it("among those in a TLS handshake", () => {
    const [handshakes, all] = [new Handshakes(), sockets(60)];
    for (const socket of all) handshakes.begin(socket, 20);
    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 40));
    handshakes.end();
    expect(all.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
