import { describe, expect, it } from "vitest";
import type { AdminError } from "../../src/core/errors.ts";
import { principal } from "../../src/core/principal.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { warningsDuring } from "../support/warnings.ts";

describe("listeners of calls", () => {
  it("hear of each call that has ended: its status, its outcome and how long it took", async () => {
    const rig = await startTestRig();
    const heard: unknown[] = [];
    rig.api.on("call", (report) => heard.push(report));
    await rig.as("chief", { requestId: "r-1" }).haltTrading();
    await rig.as("chief", { requestId: "r-2" }).listServices();
    await expect(rig.as("chief", { requestId: "r-3" }).getService({ name: "NOBODY" })).rejects.toMatchObject({
      status: 404,
    });
    const durationMs = expect.any(Number);
    expect(heard).toEqual([
      {
        operation: "haltTrading",
        lane: "stop",
        user: "chief",
        requestId: "r-1",
        status: 200,
        outcome: "applied",
        durationMs,
      },
      {
        operation: "listServices",
        lane: "read",
        user: "chief",
        requestId: "r-2",
        status: 200,
        outcome: "applied",
        durationMs,
      },
      {
        operation: "getService",
        lane: "read",
        user: "chief",
        requestId: "r-3",
        status: 404,
        outcome: "rejected",
        durationMs,
      },
    ]);
    for (const report of heard as { durationMs: number }[]) {
      expect(report.durationMs).toBeGreaterThanOrEqual(0);
      expect(report.durationMs).toBeLessThan(60_000);
    }
  });

  it("hear nothing more once they are removed, and others still do", async () => {
    const rig = await startTestRig();
    const heard: string[] = [];
    const remove = rig.api.on("call", () => heard.push("first"));
    rig.api.on("call", () => heard.push("second"));
    await rig.as("chief", { requestId: "r-1" }).listServices();
    remove();
    await rig.as("chief", { requestId: "r-2" }).listServices();
    expect(heard).toEqual(["first", "second", "second"]);
  });

  it("D-LOG 28: disturb neither the call nor each other if one throws; its error becomes one warning of the process", async () => {
    const rig = await startTestRig();
    let heard = 0;
    rig.api.on("call", () => {
      throw new Error("a listener's own");
    });
    rig.api.on("call", () => {
      heard += 1;
    });
    const warnings = await warningsDuring(async () => {
      await rig.as("chief", { requestId: "r-1" }).haltTrading();
      await rig.as("chief", { requestId: "r-2" }).haltTrading();
    });
    expect(warnings).toEqual([expect.stringMatching(/^A listener to "call" has thrown\nError: a listener's own\n/)]);
    expect(heard).toBe(2);
  });
});

describe("listeners of failures", () => {
  async function failuresOf(act: (rig: TestRig) => Promise<unknown>): Promise<unknown[]> {
    const rig = await startTestRig();
    const heard: { operation: string | null; requestId: string; error: AdminError }[] = [];
    rig.api.on("failure", (failure) => heard.push(failure));
    await act(rig).catch(() => {});
    return heard.map(({ operation, requestId, error }) => [operation, requestId, error.code]);
  }

  it("hear of what failed on our side or the engine's, and not of what its caller did wrong", async () => {
    expect(
      await failuresOf((rig) => {
        rig.bus.detach();
        return rig.as("chief", { requestId: "r-1" }).haltTrading();
      }),
    ).toEqual([["haltTrading", "r-1", "ENGINE_UNAVAILABLE"]]);
    expect(await failuresOf((rig) => rig.as("chief", { requestId: "r-2" }).getService({ name: "NOBODY" }))).toEqual([]);
    expect(await failuresOf((rig) => rig.as(principal("eve")).haltTrading())).toEqual([]);
  });
});
