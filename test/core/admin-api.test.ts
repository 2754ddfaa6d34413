import { describe, expect, it } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { startTestRig } from "../../src/testing/rig.ts";

const chief = principal("chief", PERMISSIONS);

describe("what a host sees of the API", () => {
  it("is whether the engine can be reached, from the start to the end", async () => {
    const rig = await startTestRig();
    expect(rig.api.linkState).toBe("up");
    rig.bus.detach();
    expect(rig.api.linkState).toBe("down");
  });

  it("D-LANE 1, D-LANE 2: is the lane of each operation, and how much of each lane is in use", async () => {
    const rig = await startTestRig({ capacities: { change: 7 } });
    expect((["haltTrading", "resumeTrading", "listPositions"] as const).map((name) => rig.api.laneOf(name))).toEqual([
      "stop",
      "change",
      "read",
    ]);
    const load = () => (["stop", "change", "read"] as const).map((lane) => rig.api.laneLoad(lane));
    rig.gate.hold();
    const calls = [rig.as("chief").haltTrading(), rig.as("chief").listServices(), rig.as("chief").listServices()];
    await rig.until(() => rig.received().length === 3);
    expect(load()).toEqual([
      { inFlight: 1, capacity: 64 },
      { inFlight: 0, capacity: 7 },
      { inFlight: 2, capacity: 256 },
    ]);
    rig.gate.release();
    await Promise.all(calls);
    expect(load().map(({ inFlight }) => inFlight)).toEqual([0, 0, 0]);
  });

  it("is a failure that an edge reports before a request was a call, without an operation", async () => {
    const rig = await startTestRig();
    const heard: unknown[] = [];
    rig.api.on("failure", (failure) => heard.push(failure));
    const error = new AdminError("IDENTITY_PROVIDER_UNAVAILABLE", "no key");
    rig.api.reportFailure("r-1", error);
    expect(heard).toEqual([{ operation: null, requestId: "r-1", error }]);
  });
});

describe("a call", () => {
  it("D-LOG 1: has an audit id of its own, though its caller sends one request id twice", async () => {
    const rig = await startTestRig();
    for (const _ of [1, 2]) await rig.as("chief", { requestId: "same" }).haltTrading();
    expect(rig.audit.records.map(({ requestId }) => requestId)).toEqual(Array(4).fill("same"));
    expect(new Set(rig.audit.records.map(({ id }) => id)).size).toBe(2);
  });

  it("D-HTTP 22: has a request id of its own if its caller sends none", async () => {
    const rig = await startTestRig();
    for (const _ of [1, 2]) await rig.as("chief").listServices();
    const ids = rig.gate.seen.map(({ context }) => context.requestId);
    expect([ids.length, new Set(ids).size, ids.every((id) => /^[0-9a-f]{18}-\d+$/.test(id))]).toEqual([2, 2, true]);
  });

  it("takes an input that was checked before as it is, but only for its own operation", async () => {
    const rig = await startTestRig();
    const halt = rig.api.validate("haltTrading", { projectionPath: "Account[GOLD]", cancelOrders: true });
    const invoke = (name: "haltTrading" | "resumeTrading") =>
      rig.api.invoke(name, { known: {}, read: () => halt }, chief);
    await invoke("haltTrading");
    expect(rig.gate.seen[0]?.input).toEqual({
      projectionPath: "Account[GOLD]",
      reason: "Trading halted",
      cancelOrders: false,
    });
    await expect(invoke("resumeTrading")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(() => rig.api.validate("haltTrading", { reason: 7 })).toThrow("reason: must be a string");
  });

  it("D-ENG 12: that fails unforeseen is INTERNAL, and its cause is for the log alone", async () => {
    const rig = await startTestRig();
    const cause = new Error("disk of secrets");
    const source = {
      known: {},
      read: () => {
        throw cause;
      },
    };
    const error = await rig.api.invoke("listServices", source, chief).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "AdminError", code: "INTERNAL", status: 500, outcome: "not-sent", cause });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      status: 500,
      error: "Internal Server Error",
      message: "Unexpected failure; details are in the monitor log",
    });
    const refused = new AdminError("BAD_REQUEST", "as it is");
    await expect(
      rig.api.invoke("listServices", { known: {}, read: () => Promise.reject(refused) }, chief),
    ).rejects.toBe(refused);
  });

  it("D-LOG 13: of a stop waits for its record for half of its time, if it has less than a second in all", async () => {
    const rig = await startTestRig({ audit: { write: () => new Promise(() => {}) }, timeoutMs: 100 });
    const { clock } = rig;
    const failures: unknown[] = [];
    rig.api.on("auditFailure", ({ pending }) => failures.push(pending));
    const call = rig.as("chief").haltTrading();
    await rig.until(() => clock.pending === 1);
    clock.advance(49);
    await new Promise((resolve) => setImmediate(resolve));
    expect([rig.gate.seen.length, failures]).toEqual([0, []]);
    clock.advance(1);
    await rig.until(() => rig.received().length === 1);
    expect(failures).toEqual([true]);
    await rig.until(() => clock.pending > 0);
    clock.advance(50);
    await call;
  });
});
