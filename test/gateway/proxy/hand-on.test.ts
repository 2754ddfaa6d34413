import { once } from "node:events";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { Gate } from "../../../src/core/load/gate.ts";
import { forwardStream } from "../../../src/gateway/proxy/forward-stream.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { nextTurn } from "../../core/gate-world.ts";

/** A gate whose work, but for stops, rests until the returned function is called. */
async function restingGate(): Promise<{ gate: Gate; proceed: () => void }> {
  const clock = new ManualClock();
  const gate = new Gate(clock);
  const stopEnds = gate.announceStop("chief");
  gate.schedule("busy", "other", () => clock.advance(15));
  // The rest begins with the next turn.
  await gate.endOfTurn();
  const proceed = (): void => {
    stopEnds();
    clock.advance(50);
  };
  return { gate, proceed };
}

it("D-LOAD 2: what the monitor sends is handed on in turns: all of it, in order, and no more is read than the stream buffers", async () => {
  const { gate, proceed } = await restingGate();
  // By default streams of later versions of Node buffer more.
  const options = { highWaterMark: 16 * 1024 };
  const [source, target] = [new PassThrough(options), new PassThrough(options)];
  forwardStream(source, target, gate);
  source.once("end", () => target.end());
  const pieces = Array.from({ length: 40 }, (_, byte) => Buffer.alloc(10_000, byte));
  let taken = 0;
  const sending = (async () => {
    for (const piece of pieces) {
      if (!source.write(piece)) await once(source, "drain");
      taken += 1;
    }
    source.end();
  })();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(target.readableLength).toBe(0);
  expect(taken).toBeLessThan(10);
  proceed();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  // The receiver takes nothing yet.
  expect(target.readableLength).toBeGreaterThan(0);
  expect(taken).toBeLessThan(20);
  expect((await buffer(target)).equals(Buffer.concat(pieces))).toBe(true);
  await sending;
});

it("D-LOAD 2: a small response is handed on immediately, as its request has had a turn; what is longer waits, and so do many small parts", async () => {
  const { gate } = await restingGate();
  const [source, target] = [new PassThrough(), new PassThrough()];
  forwardStream(source, target, gate, 8_000);
  for (const part of ["head", "body"]) {
    source.write(part);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(String(target.read())).toBe(part);
  }
  source.write("x".repeat(4_000));
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(target.read()).toBeNull();
  const [often, reader] = [new PassThrough(), new PassThrough()];
  forwardStream(often, reader, gate, 8_000);
  for (let part = 0; part < 8; part += 1) {
    often.write("x");
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  }
  expect(String(reader.read())).toBe("xxxx");
});
