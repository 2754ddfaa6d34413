import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { Gate } from "../../src/core/load/gate.ts";
import { readInTurns } from "../../src/http/node-internals.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const PIECES = Array.from({ length: 40 }, (_, byte) => Buffer.alloc(100_000, byte));

/** A connection to a server that sends these pieces at once. */
async function openConnection(pieces: readonly Buffer[]): Promise<Socket> {
  const server = createServer((socket) => {
    for (const piece of pieces) socket.write(piece);
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return socket;
}

/** A gate whose work, but for stops, rests until the returned function is called. */
async function restingGate(): Promise<{ gate: Gate; goOn: () => void }> {
  const clock = new ManualClock();
  const gate = new Gate(clock);
  const stopEnds = gate.beginStop("chief");
  gate.run("busy", "other", () => clock.advance(15));
  // The rest begins with the next turn.
  await gate.endOfTurn();
  const goOn = (): void => {
    stopEnds();
    clock.advance(50);
  };
  return { gate, goOn };
}

it("D-LOAD 2: what another server sends is handed on in turns: all of it, in order, and no more than is taken", async () => {
  const { gate, goOn } = await restingGate();
  const socket = await openConnection(PIECES);
  readInTurns(socket, gate, "the server");
  await once(socket, "connect");
  socket.pause();
  await pause(50);
  expect(socket.readableLength).toBe(0);
  goOn();
  await expect.poll(() => socket.readableLength).toBeGreaterThan(0);
  await pause(50);
  expect(socket.readableLength).toBeLessThan(1_000_000);
  expect((await buffer(socket)).equals(Buffer.concat(PIECES))).toBe(true);
});

it("D-LOAD 2: a small response is handed on at once, as its request has had a turn", async () => {
  const { gate } = await restingGate();
  const small = Buffer.alloc(8_000, "x");
  const socket = await openConnection([small]);
  readInTurns(socket, gate, "the server");
  expect((await buffer(socket)).equals(small)).toBe(true);
});
