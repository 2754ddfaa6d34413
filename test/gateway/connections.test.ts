import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { anonymousCaller } from "../../src/core/load/caller-queue.ts";
import { Connections } from "../../src/gateway/server/connections.ts";
import { Handshakes } from "../../src/gateway/server/handshakes.ts";
import { callerIsUser } from "../../src/http/guard/guard-server.ts";

/** Connections that came together: none can close before the last has come. */
function sockets(count: number): Socket[] {
  return Array.from({ length: count }, () => new Socket());
}

const isOpen = ({ destroyed }: Socket): boolean => !destroyed;

/** A server's connections, each from an address that the test says. */
class Crowd {
  readonly #addresses = new Map<Socket, string>();
  readonly #connections: Connections;

  constructor(max: number) {
    this.#connections = new Connections(max, (socket) => anonymousCaller(this.#addresses.get(socket)));
  }

  come(count: number, address = "192.0.2.1"): Socket[] {
    const all = sockets(count);
    for (const socket of all) {
      this.#addresses.set(socket, address);
      this.#connections.accept(socket);
    }
    return all;
  }

  /** Begins a request of a user, or of somebody who has not logged in. */
  begin(socket: Socket, { user, isCommand = false }: { user?: string; isCommand?: boolean } = {}): ServerResponse {
    const request = Object.assign(new IncomingMessage(socket), { complete: true });
    const response = new ServerResponse(request);
    this.#connections.track(socket, response, () => {});
    callerIsUser(request, user, isCommand);
    return response;
  }

  comeAs(user: string, count: number, isCommand = false): Socket[] {
    const all = this.come(count);
    for (const socket of all) this.begin(socket, { user, isCommand });
    return all;
  }
}

describe("D-LOAD 10: one connection makes room for each above the limit, also while others are still closing", () => {
  it("among those that are open", () => {
    const [connections, all] = [new Connections(20, () => anonymousCaller("192.0.2.1")), sockets(60)];
    for (const socket of all) connections.accept(socket);
    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 40));
    expect([connections.size, connections.dropped]).toEqual([20, 40]);
  });

  it("among those in a TLS handshake", () => {
    const [handshakes, all] = [new Handshakes(), sockets(60)];
    for (const socket of all) handshakes.begin(socket, anonymousCaller("192.0.2.1"), 20);
    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 40));
    handshakes.end();
    expect(all.every(({ destroyed }) => destroyed)).toBe(true);
  });
});

describe("D-LOAD 9: at the limit, the caller with the most connections makes room for a new one", () => {
  it("an address, whatever its connections are busy with, the least recently used first", () => {
    const crowd = new Crowd(10);
    const [elsewhere, many] = [crowd.come(2, "192.0.2.2"), crowd.come(8)];
    for (const socket of many) crowd.begin(socket, { isCommand: true });
    for (const socket of many.slice(0, 2)) crowd.begin(socket, { isCommand: true });
    const next = [...crowd.come(3), ...crowd.come(3, "192.0.2.3")];
    expect([...elsewhere, ...next].every(isOpen)).toBe(true);
    expect(many.map(isOpen)).toEqual([true, true, false, false, false, false, false, false]);
  });

  it("each of thousands of addresses is a part of one caller beside the users", () => {
    const crowd = new Crowd(10);
    const users = [...crowd.comeAs("chief", 3), ...crowd.comeAs("desk", 2)];
    const flood = Array.from({ length: 50 }, (_, index) => crowd.come(1, `198.51.100.${index}`)).flat();
    expect(users.every(isOpen)).toBe(true);
    expect(flood.map(isOpen)).toEqual(flood.map((_, index) => index >= 45));
  });

  it("a user, for users and for somebody who has yet to log in", () => {
    const crowd = new Crowd(10);
    const [desk, viewer] = [crowd.comeAs("desk", 2), crowd.comeAs("viewer", 8)];
    const next = [...crowd.come(1), ...crowd.comeAs("chief", 1)];
    expect([...desk, ...next].every(isOpen)).toBe(true);
    expect(viewer.map(isOpen)).toEqual([false, false, true, true, true, true, true, true]);
  });

  it("but no user's command in progress is cut off, until its response has been written", () => {
    const crowd = new Crowd(4);
    const commands = crowd.come(3);
    const responses = commands.map((socket) => crowd.begin(socket, { user: "chief", isCommand: true }));
    const [reading] = crowd.comeAs("desk", 1);
    const [first, second] = crowd.come(2);
    expect([reading, first, second].map((socket) => socket?.destroyed)).toEqual([true, true, false]);
    expect(commands.every(isOpen)).toBe(true);
    responses[1]?.end();
    crowd.come(1);
    expect(commands.map(isOpen)).toEqual([true, false, true]);
  });

  it("where all others are commands, the new one itself", () => {
    const crowd = new Crowd(2);
    const commands = crowd.comeAs("chief", 2, true);
    expect([...commands, ...crowd.come(1)].map(isOpen)).toEqual([true, true, false]);
  });

  it("also in a TLS handshake", () => {
    const [handshakes, elsewhere, flood] = [new Handshakes(), sockets(2), sockets(30)];
    for (const socket of elsewhere) handshakes.begin(socket, anonymousCaller("192.0.2.2"), 10);
    for (const socket of flood) handshakes.begin(socket, anonymousCaller("192.0.2.1"), 10);
    expect(elsewhere.every(isOpen)).toBe(true);
    expect(flood.filter(isOpen)).toHaveLength(8);
  });
});
