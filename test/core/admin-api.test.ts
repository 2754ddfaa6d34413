import { setImmediate as turn } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { type EngineTransport, TransportError } from "../../src/core/engine/transport.ts";
import { AdminError, mutationOutcome } from "../../src/core/errors.ts";
import { asJson } from "../../src/core/load/output-form.ts";
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

  it("is a transport that is started and closed with it, and started twice, earlier records that are read once", async () => {
    const heard: string[] = [];
    const history = async function* (): AsyncGenerator<never> {
      heard.push("history");
      yield* [];
    };
    const transport: EngineTransport = {
      state: "down",
      start: async () => void heard.push("start"),
      close: async () => void heard.push("close"),
      exchange: () => {
        throw new TransportError("unavailable", "away", { sent: false });
      },
    };
    const api = new AdminApi({ transport, audit: { write: () => {}, history: history() } });
    await Promise.all([api.start(), api.start()]);
    await api.start();
    await turn();
    expect(heard.toSorted()).toEqual(["history", "start"]);
    heard.length = 0;
    await api.close();
    expect(heard).toEqual(["close"]);
    await expect(api.start()).rejects.toThrow("has been closed and cannot be started again; make a new one");
    expect(heard).toEqual(["close"]);
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
    await rig.until(() => rig.received().length >= 3);
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
  it("D-ENG 6: warns of `cancelOrders` where it has no effect, and of nothing else", async () => {
    const rig = await startTestRig();
    const warnings: string[] = [];
    const api = rig.as("chief", { onWarning: (warning) => warnings.push(warning) });
    await api.haltTrading({ cancelOrders: true });
    await api.haltTrading({ projectionPath: "Account[GOLD]" });
    expect(warnings).toEqual([]);
    await api.haltTrading({ projectionPath: "Account[GOLD]", cancelOrders: true });
    expect(warnings).toEqual([expect.stringContaining("cancelOrders was ignored")]);
  });

  it("D-LANE 2: that stops something leaves other work a fifth of its time until it has ended", async () => {
    const rig = await startTestRig();
    /** Whether other work may continue after half a millisecond of a turn. */
    const goesOn = async (): Promise<boolean> => {
      await turn();
      let hasTime = false;
      rig.api.gate.schedule("other", "stop", () => {
        rig.clock.advance(0.5);
        rig.api.gate.schedule("more", "other", () => {
          hasTime = true;
        });
      });
      return hasTime;
    };
    rig.gate.hold();
    const change = rig.as("chief").resumeTrading();
    expect(await goesOn()).toBe(true);
    const stop = rig.as("chief").haltTrading();
    expect(await goesOn()).toBe(false);
    rig.gate.release();
    await Promise.all([change, stop]);
    expect(await goesOn()).toBe(true);
  });

  it.each([
    ["a read", "getRiskTable", {}],
    ["a change", "updateRiskTable", { commands: [{ type: "UPDATE", conditions: { Account: "A0" } }] }],
  ] as const)("D-LOAD 2: of %s returns all rows of a long reply, as a value or as JSON", async (_what, name, input) => {
    const rig = await startTestRig();
    const rows = Array.from({ length: 600 }, (_, index) => ({ conditions: { Account: `A${index}` }, limits: {} }));
    const result = { projection: "Account", rows };
    rig.gate.replyWith(() => ({ ok: true, result }));
    const source = { known: {}, read: () => ({ projection: "Account", ...input }) };
    expect(await rig.api.invoke(name, source, chief)).toEqual(result);
    const json = await rig.api.invoke(name, source, chief, {}, asJson);
    expect(typeof json === "string" ? json : Buffer.concat(json.parts).toString()).toBe(JSON.stringify(result));
  });

  it.each([
    ["applied", "applied"],
    ["unknown", "unknown"],
    ["rejected", "not-applied"],
    ["denied", "not-applied"],
    ["invalid", "not-applied"],
    ["not-sent", "not-applied"],
  ] as const)("D-ENG 16: whose outcome is %s says %s to its caller", (outcome, said) => {
    expect(mutationOutcome(outcome)).toBe(said);
  });

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

  it("D-ENG 12: takes the promises of another realm, as jest has them, for what they are", async () => {
    const PromiseOfAnotherRealm = runInNewContext("Promise") as PromiseConstructor;
    const transport: EngineTransport = {
      state: "up",
      start: async () => {},
      close: async () => {},
      exchange: () => ({
        reply: PromiseOfAnotherRealm.resolve({ ok: true, result: { projectionPath: "", halted: false, reason: null } }),
        abandon: () => {},
      }),
    };
    const api = new AdminApi({ transport, audit: { write: () => {} } });
    expect((await api.call("getTradingStatus", {}, chief, {})).halted).toBe(false);
    await api.close();
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
    await rig.until(() => rig.received().length >= 1);
    expect(failures).toEqual([true]);
    await rig.until(() => clock.pending > 0);
    clock.advance(50);
    await call;
  });
});
