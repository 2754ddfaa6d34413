import { describe, expect, it } from "vitest";
import type { Policy, PolicyRequest } from "../../src/core/policy/policy.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

/** A rig whose policy answers as it is told, and what it was asked. */
async function rigWith(policy: Policy): Promise<TestRig & { readonly asked: PolicyRequest[] }> {
  const asked: PolicyRequest[] = [];
  const rig = await startTestRig({
    policy: (request) => {
      asked.push(request);
      return policy(request);
    },
  });
  return { ...rig, asked };
}

const FAILURES: Readonly<Record<string, Policy>> = {
  throws: () => {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")),
  "returns null": () => null as never,
  "returns false": async () => false as never,
};

describe("D-LOAD 4: the policy of a host", () => {
  it("is asked about a command with principal, operation, lane, direction, input and context", async () => {
    const rig = await rigWith(() => undefined);
    await rig.as("chief", { requestId: "r-1", address: "192.0.2.7" }).haltTrading({ reason: "drill" });
    expect(rig.asked).toMatchObject([
      {
        principal: principal("chief", PERMISSIONS),
        operation: "haltTrading",
        lane: "stop",
        direction: "tightens",
        input: { projectionPath: "", reason: "drill", cancelOrders: false },
        context: { requestId: "r-1", address: "192.0.2.7" },
      },
    ]);
  });

  it("is not asked about reads, about callers without the permission, or about invalid input", async () => {
    const rig = await rigWith(() => "no");
    await rig.as("chief").getTradingStatus();
    await expect(rig.as(principal("eve")).haltTrading()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await expect(rig.as("chief").haltTrading({ projectionPath: "x" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(rig.asked).toEqual([]);
  });

  it.each<readonly [string, Policy]>([
    ["a text", () => "outside of hours"],
    ["a promise of a text", async () => "outside of hours"],
  ])("refuses with %s: 403, recorded as denied with the text, nothing sent", async (_name, policy) => {
    const rig = await rigWith(policy);
    await expect(rig.as("chief").haltTrading()).rejects.toMatchObject({
      code: "POLICY_DENIED",
      status: 403,
      outcome: "denied",
      message: "outside of hours",
    });
    expect(rig.audit.records).toMatchObject([
      { stage: "denied", status: 403, message: "outside of hours", direction: "tightens", user: "chief" },
    ]);
    expect(rig.received()).toEqual([]);
  });

  it("refuses with a text that is empty, too; its caller gets another", async () => {
    const rig = await rigWith(() => "");
    await expect(rig.as("chief").haltTrading()).rejects.toMatchObject({
      code: "POLICY_DENIED",
      message: expect.stringContaining("policy"),
    });
    expect(rig.received()).toEqual([]);
  });

  it("annotates the records of what it allows and of what it refuses", async () => {
    const rig = await rigWith(({ context, lane }) => {
      context.annotate("ticket", "CHG-7\n");
      return lane === "stop" ? undefined : "no";
    });
    await rig.as("chief").haltTrading();
    await expect(rig.as("chief").resumeTrading()).rejects.toThrow("no");
    expect(rig.audit.records.map(({ stage, annotations }) => [stage, annotations])).toEqual([
      ["intent", { ticket: "CHG-7\\u000a" }],
      ["applied", { ticket: "CHG-7\\u000a" }],
      ["denied", { ticket: "CHG-7\\u000a" }],
    ]);
  });

  describe.each(Object.entries(FAILURES))("a policy that %s", (_name, policy) => {
    it("  refuses a change with 500, unsent, without its own text", async () => {
      const rig = await rigWith(policy);
      const refused = await rig
        .as("chief")
        .resumeTrading()
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "POLICY_FAILED", status: 500, outcome: "not-sent" });
      expect(String(refused)).not.toContain("broken");
      expect(rig.audit.records).toMatchObject([{ stage: "not-sent", status: 500 }]);
      expect(rig.received("resumeTrading")).toEqual([]);
    });

    it("  lets a stop pass, and the failure listeners get the reason", async () => {
      const rig = await rigWith(policy);
      const failures: unknown[] = [];
      rig.api.on("failure", (failure) => failures.push(failure));
      await rig.as("chief").haltTrading();
      expect(rig.audit.stages).toEqual(["intent", "applied"]);
      expect(failures).toMatchObject([
        { operation: "haltTrading", error: { code: "POLICY_FAILED", cause: expect.any(Error) } },
      ]);
    });
  });

  it.each([
    ["haltTrading", 500],
    ["resumeTrading", 5_000],
  ] as const)("has a deadline: %s waits %i ms for it and no longer", async (operation, limitMs) => {
    const rig = await rigWith(() => new Promise(() => {}));
    const call = rig.as("chief")[operation]();
    const ended = call.then(
      () => "sent",
      ({ code }: { code: string }) => code,
    );
    await rig.until(() => rig.asked.length >= 1);
    rig.clock.advance(limitMs - 1);
    expect(await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, "waits"))])).toBe("waits");
    rig.clock.advance(1);
    expect(await ended).toBe(operation === "haltTrading" ? "sent" : "POLICY_FAILED");
  });

  it("adds no turn to a stop where no policy is configured", async () => {
    const rig = await startTestRig();
    void rig.as("chief").haltTrading();
    // One microtask for each await on the way: no timer, no turn of the event loop.
    for (let tasks = 0; tasks < 20; tasks += 1) await undefined;
    expect(rig.received("haltTrading")).toHaveLength(1);
  });

  it("does not hold a change back by a stop that it refused", async () => {
    const rig = await rigWith(({ lane }) => (lane === "stop" ? "read-only" : undefined));
    const calls = [rig.as("chief").resumeTrading(), rig.as("chief").haltTrading()];
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });
});
