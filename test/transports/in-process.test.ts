import { describe, expect, it } from "vitest";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  TransportError,
} from "../../src/core/engine/transport.ts";
import { principal } from "../../src/core/principal.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { InProcessBus, type InProcessBusOptions } from "../../transports/in-process.ts";

const TIMEOUT_MS = 10_000;

/** A bus whose engine answers when the test says so. */
class Bench {
  readonly clock = new ManualClock(0);
  readonly bus: InProcessBus;
  /** Ids of the requests that have reached the engine, in order. */
  readonly arrived: string[] = [];
  readonly #answers = new Map<string, (reply: EngineReply) => void>();

  constructor(options: InProcessBusOptions = {}) {
    this.bus = new InProcessBus({ ...options, clock: this.clock });
    this.listen();
  }

  listen(): void {
    this.bus.listen(({ context: { requestId } }) => {
      this.arrived.push(requestId);
      return new Promise((resolve) => this.#answers.set(requestId, resolve));
    });
  }

  request(id: string, lane: EngineRequest["lane"] = "read"): EngineRequest {
    const context = { user: "chief", requestId: id, deadline: this.clock.now() + TIMEOUT_MS };
    return { method: "listServices", input: {}, lane, context };
  }

  send(id: string, lane?: EngineRequest["lane"]): EngineExchange {
    return this.bus.exchange(this.request(id, lane));
  }

  /** Sends a request and answers its id, or why the bus refused it. */
  offer(id: string, lane?: EngineRequest["lane"]): string {
    try {
      return this.send(id, lane) && id;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return `${error.fault}, ${error.sent ? "sent" : "not sent"}`;
    }
  }

  /** The engine answers a request with its id. */
  answer(id: string): void {
    this.#answers.get(id)?.({ ok: true, result: id });
  }
}

/** What becomes of a reply within the next turns: its result, the error, or `pending`. */
async function fate({ reply }: EngineExchange): Promise<unknown> {
  const pending = new Promise((resolve) => setImmediate(resolve, "pending"));
  const settled = Promise.resolve(reply).then(
    (answer) => (answer.ok ? answer.result : answer.refusal),
    (error: unknown) => error,
  );
  return Promise.race([settled, pending]);
}

const NO_ENGINE = "unavailable, not sent";
const FULL = "overloaded, not sent";
const LOST = { name: "TransportError", fault: "unavailable", sent: true };

describe("the in-process bus", () => {
  it("is down before an engine listens, and nothing is sent", async () => {
    const bus = new InProcessBus();
    await bus.start();
    expect(bus.state).toBe("down");
    expect(() => bus.exchange(new Bench().request("a"))).toThrow(
      expect.objectContaining({ name: "TransportError", fault: "unavailable", sent: false }),
    );
    bus.listen(async () => ({ ok: true, result: "here" }));
    expect(bus.state).toBe("up");
    expect(await bus.exchange(new Bench().request("a")).reply).toEqual({ ok: true, result: "here" });
  });

  it("D-ENG 2: gives an engine that comes back new requests only", async () => {
    const bench = new Bench();
    const lost = bench.send("a");
    bench.bus.detach();
    expect(bench.bus.state).toBe("down");
    expect(bench.offer("b")).toBe(NO_ENGINE);
    bench.listen();
    expect(bench.offer("c")).toBe("c");
    expect(bench.arrived).toEqual(["a", "c"]);
    expect(await fate(lost)).toMatchObject(LOST);
  });

  it("D-ENG 3: counts what was sent before the loss as sent and lost, also when the engine replies after all", async () => {
    const bench = new Bench();
    const [answered, lost] = [bench.send("a"), bench.send("b", "change")];
    bench.answer("a");
    expect(await fate(answered)).toBe("a");
    bench.bus.detach();
    bench.answer("b");
    expect(await fate(lost)).toMatchObject(LOST);
  });

  it("rejects pending requests on close, and refuses later ones", async () => {
    const bench = new Bench();
    const waiting = [bench.send("a"), bench.send("b", "stop"), bench.send("c", "change")];
    await bench.bus.close();
    for (const exchange of waiting) expect(await fate(exchange)).toMatchObject(LOST);
    expect(bench.offer("d", "stop")).toBe(NO_ENGINE);
  });

  it("tolerates closing twice, or detaching nothing", async () => {
    const bench = new Bench();
    bench.bus.detach();
    bench.bus.detach();
    await bench.bus.close();
    await expect(bench.bus.close()).resolves.toBeUndefined();
  });

  it('D-ENG 11 and specification, "Errors": gives 503 for a read and 504 for a mutation when the engine is lost, and no later call is sent', async () => {
    const rig = await startTestRig();
    const { gate, bus, audit } = rig;
    const calls = rig.as("chief");
    gate.hold();
    const waiting = [calls.listServices(), calls.resumeTrading()];
    const codes = Promise.allSettled(waiting);
    await rig.until(() => rig.received().length >= 2);
    bus.detach();
    expect(await codes).toMatchObject([
      { reason: { code: "ENGINE_UNAVAILABLE", status: 503 } },
      { reason: { code: "ENGINE_TIMEOUT", status: 504, outcome: "unknown" } },
    ]);
    await expect(calls.haltTrading()).rejects.toMatchObject({ status: 503, outcome: "not-sent" });
    expect(gate.seen).toHaveLength(2);
    expect(audit.stages).toEqual(["intent", "unknown", "intent", "not-sent"]);
  });
});

describe("the capacity of the in-process bus", () => {
  it("is as many requests as configured; the next is refused before the engine sees it", () => {
    const bench = new Bench({ capacity: 2, stopReserve: 0 });
    expect(["a", "b", "c"].map((id) => bench.offer(id))).toEqual(["a", "b", FULL]);
    expect(bench.offer("d", "change")).toBe(FULL);
    expect(bench.offer("e", "stop")).toBe(FULL);
    expect(bench.arrived).toEqual(["a", "b"]);
  });

  it("D-LANE 2: has a reserve for stops alone", () => {
    const bench = new Bench({ capacity: 2, stopReserve: 2 });
    expect([bench.offer("r1"), bench.offer("c1", "change")]).toEqual(["r1", "c1"]);
    expect([bench.offer("s1", "stop"), bench.offer("r2"), bench.offer("c2", "change")]).toEqual(["s1", FULL, FULL]);
    expect([bench.offer("s2", "stop"), bench.offer("s3", "stop")]).toEqual(["s2", FULL]);
  });

  it("is released by a reply", async () => {
    const bench = new Bench({ capacity: 1, stopReserve: 0 });
    const first = bench.send("a");
    expect(bench.offer("b")).toBe(FULL);
    bench.answer("a");
    expect(await fate(first)).toBe("a");
    expect([bench.offer("c"), bench.offer("d")]).toEqual(["c", FULL]);
  });

  it("is released once by an abandoned request, and its reply reaches nobody", async () => {
    const bench = new Bench({ capacity: 1, stopReserve: 0 });
    const abandoned = bench.send("a");
    abandoned.abandon();
    const second = bench.send("b");
    abandoned.abandon();
    expect(bench.offer("c")).toBe(FULL);
    bench.answer("a");
    expect(await fate(abandoned)).toBe("pending");
    expect(bench.offer("d")).toBe(FULL);
    bench.answer("b");
    expect(await fate(second)).toBe("b");
    expect(bench.offer("e")).toBe("e");
  });

  it("D-ENG 1, D-ENG 10: is released by an expired request, whose late reply still comes", async () => {
    const bench = new Bench({ capacity: 1, stopReserve: 0 });
    const expired = bench.send("a");
    bench.clock.advance(TIMEOUT_MS - 1);
    expect(bench.offer("b")).toBe(FULL);
    bench.clock.advance(1);
    expect([bench.offer("c"), bench.offer("d")]).toEqual(["c", FULL]);
    bench.answer("a");
    expect(await fate(expired)).toBe("a");
    expect(bench.offer("e")).toBe(FULL);
  });

  it("is whole after a lost engine", () => {
    const bench = new Bench({ capacity: 1, stopReserve: 0 });
    const lost = bench.send("a");
    const rejected = expect(lost.reply).rejects.toMatchObject(LOST);
    bench.bus.detach();
    bench.listen();
    expect(bench.offer("b")).toBe("b");
    return rejected;
  });

  it("is not taken by a refused request", () => {
    const bench = new Bench({ capacity: 1, stopReserve: 1 });
    expect([bench.offer("a"), bench.offer("b"), bench.offer("c")]).toEqual(["a", FULL, FULL]);
    expect([bench.offer("d", "stop"), bench.offer("e", "stop")]).toEqual(["d", FULL]);
  });

  it('specification, "Limits": gives 429 when it is used up, while a halt goes through on the reserve, and later all is well', async () => {
    const rig = await startTestRig({ bus: { capacity: 1, stopReserve: 1 } });
    const { gate, audit } = rig;
    const calls = rig.as("chief");
    gate.hold();
    const read = calls.listServices();
    await expect(calls.listFixGateways()).rejects.toMatchObject({ code: "ENGINE_OVERLOADED", status: 429 });
    await expect(calls.resumeTrading()).rejects.toMatchObject({ status: 429, outcome: "not-sent" });
    const halt = calls.haltTrading();
    await rig.until(() => gate.seen.length >= 2);
    expect(gate.seen.map(({ method }) => method)).toEqual(["listServices", "haltTrading"]);
    gate.release();
    expect(await Promise.all([read, halt])).toMatchObject([{ length: expect.any(Number) }, null]);
    await calls.resumeTrading();
    expect(audit.stages).toEqual(["intent", "not-sent", "intent", "applied", "intent", "applied"]);
    await rig.close();
  });
});

describe("replies on the in-process bus", () => {
  it("free their places as soon as they are given", async () => {
    const bench = new Bench({ capacity: 1, stopReserve: 0 });
    bench.bus.listen(async ({ context }) => ({ ok: true, result: context.requestId }));
    for (const id of ["a", "b", "c"]) expect(await bench.send(id).reply).toEqual({ ok: true, result: id });
    const { api, close } = await startTestRig();
    const read = { known: {}, read: () => ({}) };
    expect(await api.invoke("listServices", read, principal("viewer"))).toBeInstanceOf(Array);
    await close();
  });

  it("may be refusals", async () => {
    const bench = new Bench();
    const refusal: EngineReply = { ok: false, refusal: "not-found", message: "Unknown service" };
    bench.bus.listen(async () => refusal);
    expect(await bench.send("a").reply).toEqual(refusal);
  });

  it("follow requests that reach the engine in the order of sending, together, and one at a time", () => {
    const bench = new Bench({ capacity: 1_000 });
    const sent = Array.from({ length: 1_000 }, (_, n) => `r${n}`);
    for (const [n, id] of sent.entries()) {
      bench.send(id, n % 3 === 0 ? "stop" : n % 3 === 1 ? "change" : "read");
      expect(bench.arrived.length).toBe(n + 1);
    }
    expect(bench.arrived).toEqual(sent);
  });

  it("go to their own requests, 10,000 interleaved ones, in another order", async () => {
    const count = 10_000;
    const bench = new Bench({ capacity: count, stopReserve: 0 });
    const exchanges = Array.from({ length: count }, (_, n) => bench.send(`r${n}`));
    expect(bench.offer("one more")).toBe(FULL);
    const replies = Promise.all(exchanges.map(({ reply }) => reply));
    // 7,919 has no factor in common with the count: this is every number once, well shuffled.
    for (let n = 0; n < count; n += 1) {
      bench.answer(`r${(n * 7_919) % count}`);
      if (n % 1_000 === 999) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await replies).toEqual(Array.from({ length: count }, (_, n) => ({ ok: true, result: `r${n}` })));
    expect(bench.offer("the next")).toBe("the next");
  });
});
