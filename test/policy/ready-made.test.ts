import { describe, expect, it } from "vitest";
import type { Policy } from "../../src/core/policy/policy.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { allOf, freeze, onlyPaths, readOnly, stopOnly, twoPerson } from "../../src/policy/index.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

/** What a call ended with: its reason where a policy refused it. */
async function ended(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "sent",
    ({ code, message }: { code: string; message: string }) => (code === "POLICY_DENIED" ? message : code),
  );
}

function rigWith(policy: Policy): Promise<TestRig> {
  return startTestRig({ policy });
}

const ROW = { conditions: { Account: "GOLD", Symbol: "AAPL" }, limits: { MaxOrderSize: "1" } };

describe("AZ8: readOnly", () => {
  it("refuses every command, stops too, and says so; reads pass", async () => {
    const rig = await rigWith(readOnly());
    expect(await ended(rig.as("alice").haltTrading())).toBe(
      "haltTrading is refused: this installation is read-only, stops included",
    );
    expect(await ended(rig.as("alice").resumeTrading())).toContain("read-only");
    expect(await ended(rig.as("alice").getTradingStatus())).toBe("sent");
  });
});

describe("AZ5: stopOnly", () => {
  it("lets named users stop and nothing else; a name counts however it is written", async () => {
    const rig = await rigWith(stopOnly(["Alice"]));
    expect(await ended(rig.as("alice").haltTrading())).toBe("sent");
    expect(await ended(rig.as("alice").disableService({ name: "TWAP" }))).not.toContain("refused");
    expect(await ended(rig.as("alice").resumeTrading())).toBe(
      'resumeTrading is refused: user "alice" may only stop (halt, disable, disconnect)',
    );
    expect(await ended(rig.as("bob").resumeTrading())).toBe("sent");
  });

  it("applies to all users without names", async () => {
    const rig = await rigWith(stopOnly());
    expect(await ended(rig.as("bob").haltTrading())).toBe("sent");
    expect(await ended(rig.as("bob").resumeTrading())).toBe(
      "resumeTrading is refused: only stops pass (halt, disable, disconnect)",
    );
  });
});

describe("a freeze window", () => {
  // 2026-01-05 is a Monday; Berlin is an hour ahead of UTC in winter and two in summer.
  it.each([
    ["Mon-Fri 09:25-09:35", "2026-01-05T08:25:00Z", true],
    ["Mon-Fri 09:25-09:35", "2026-01-05T08:34:59Z", true],
    ["Mon-Fri 09:25-09:35", "2026-01-05T08:35:00Z", false],
    ["Mon-Fri 09:25-09:35", "2026-01-05T08:24:59Z", false],
    ["Mon-Fri 09:25-09:35", "2026-07-06T07:30:00Z", true],
    ["Mon-Fri 09:25-09:35", "2026-01-04T08:30:00Z", false],
    ["Fri-Mon 09:25-09:35", "2026-01-04T08:30:00Z", true],
    ["mon 09:25-09:35", "2026-01-06T08:30:00Z", false],
    ["22:00-06:00", "2026-01-05T22:30:00Z", true],
    ["22:00-06:00", "2026-01-05T04:59:00Z", true],
    ["22:00-06:00", "2026-01-05T05:00:00Z", false],
    ["Mon 00:00-24:00", "2026-01-05T22:59:59Z", true],
    ["Mon 00:00-24:00", "2026-01-04T23:00:00Z", true],
    ["Mon 00:00-24:00", "2026-01-05T23:00:00Z", false],
    ["Mon 22:00-24:00", "2026-01-05T22:59:59Z", true],
    ["Mon 22:00-06:00", "2026-01-06T04:00:00Z", true],
    ["Mon 22:00-06:00", "2026-01-05T04:00:00Z", false],
  ])("%s at %s is %s", async (window, time, isFrozen) => {
    const clock = new ManualClock(Date.parse(time));
    const rig = await rigWith(freeze({ windows: ["Sun 00:00-00:01", window], timeZone: "Europe/Berlin", clock }));
    expect(await ended(rig.as("alice").resumeTrading())).toBe(
      isFrozen ? `resumeTrading is refused: only stops pass in the freeze window ${window} (Europe/Berlin)` : "sent",
    );
    expect(await ended(rig.as("alice").haltTrading())).toBe("sent");
  });

  it.each([
    ["the engine's time counts where the gateway is ahead", "08:20-08:30", -3_600_000, true],
    ["the engine's time counts where the gateway is behind", "10:20-10:30", 3_600_000, true],
    ["its own time does not count then", "09:20-09:30", 3_600_000, false],
    ["its own time counts where the clocks agree", "09:20-09:30", 0, true],
  ])("D-LOG 19: %s", async (_name, window, correctionMs, isFrozen) => {
    const clock = new ManualClock(Date.parse("2026-01-05T09:25:00Z"));
    const rig = await rigWith(freeze({ windows: [window], clock, engineClock: { correctionMs } }));
    const why = `, by the engine's time: this gateway's clock is 3600.0 s ${correctionMs < 0 ? "ahead" : "behind"}`;
    expect(await ended(rig.as("alice").resumeTrading())).toBe(
      isFrozen
        ? `resumeTrading is refused: only stops pass in the freeze window ${window} (UTC)${correctionMs === 0 ? "" : why}`
        : "sent",
    );
  });

  it("is refused immediately if the window or its zone is invalid", () => {
    expect(() => freeze({ windows: ["9-10"] })).toThrow('is "9-10"');
  });

  it.each([
    ["Berlin", "Europe/Berlin"],
    ["Europe/Brelin", "Europe/Berlin"],
    ["America/NewYork", "America/New_York"],
  ])("D-PKG 17: says which zone is meant by %s", (timeZone, meant) => {
    const message = `freeze: "${timeZone}" is not a time zone; did you mean "${meant}"?`;
    expect(() => freeze({ windows: ["09:00-10:00"], timeZone })).toThrow(new RangeError(message));
  });

  it("D-PKG 17: guesses at no zone that is not near", () => {
    expect(() => freeze({ windows: ["09:00-10:00"], timeZone: "CET+1x" })).toThrow(/is not a time zone$/);
  });
});

describe("onlyPaths", () => {
  const policy = onlyPaths({ Alice: ["Account[GOLD]", "Source[X]/Account[SILVER]"] });

  it.each([
    ["the path itself", "Account[GOLD]", true],
    ["what is below it", "Account[GOLD]/Symbol[AAPL]", true],
    ["a second path", "Source[X]/Account[SILVER]/Symbol[AAPL]", true],
    ["what holds it", "Source[X]", false],
    ["another value", "Account[SILVER]", false],
    ["a value that begins alike", "Account[GOLDEN]", false],
    ["another order of keys", "Symbol[AAPL]/Account[GOLD]", false],
    ["no path: the whole system", "", false],
  ])("decides by the path: %s", async (_name, projectionPath, isAllowed) => {
    const rig = await rigWith(policy);
    const refusal =
      'haltTrading is refused: user "alice" may act only on Account[GOLD], Source[X]/Account[SILVER] and below';
    expect(await ended(rig.as("alice").haltTrading({ projectionPath }))).toBe(isAllowed ? "sent" : refusal);
    expect(await ended(rig.as("bob").haltTrading({ projectionPath }))).toBe("sent");
  });

  it("requires every command of a risk update to be within; wildcards are not", async () => {
    const rig = await rigWith(policy);
    const update = (...accounts: string[]) =>
      ended(
        rig.as("alice").updateRiskTable({
          projection: "Account/Symbol",
          commands: accounts.map((Account) => ({ type: "UPDATE", ...ROW, conditions: { ...ROW.conditions, Account } })),
        }),
      );
    expect(await update("GOLD")).toBe("sent");
    expect(await update("GOLD", "SILVER")).toContain("may act only on");
    expect(await update("*")).toContain("may act only on");
  });

  it("takes the path of an adjustment; a service has none and passes", async () => {
    const rig = await rigWith(policy);
    const adjust = (projectionPath: string) => ended(rig.as("alice").adjustPosition({ projectionPath, size: "1" }));
    expect(await adjust("Account[SILVER]/Symbol[AAPL]")).toContain("may act only on");
    expect(await adjust("Account[GOLD]/Symbol[AAPL]")).toBe("sent");
    const [service] = await rig.as("alice").listServices();
    expect(await ended(rig.as("alice").disableService({ name: service?.name ?? "" }))).toBe("sent");
  });

  it("refuses a path with keys that it was not told of, in a halt too: it must not fail, as stops pass a policy that fails", async () => {
    const rig = await startTestRig({ policy, projectionKeys: ["Desk"] });
    const halt = (projectionPath: string) => ended(rig.as("alice").haltTrading({ projectionPath }));
    expect(await halt("Desk[FX]")).toContain("may act only on");
    expect(await halt("Desk[FX]/Account[GOLD]")).toContain("may act only on");
    // By the engine, which has no such key.
    expect(await halt("Account[GOLD]/Desk[FX]")).toBe("REJECTED");
  });

  it("D-PKG 17: refuses an invalid path immediately, with its user and the key that is meant", () => {
    expect(() => onlyPaths({ alice: ["Source[X]/Acount[GOLD]"] })).toThrow(
      /^onlyPaths of "alice", "Source\[X\]\/Acount\[GOLD\]": unknown projection key "Acount" .*; did you mean "Account"\?$/,
    );
    expect(() => onlyPaths({ alice: ["Dsk[FX]"] }, ["Desk"])).toThrow('did you mean "Desk"?');
    expect(() => onlyPaths({ alice: ["Account[GOLD"] })).toThrow(
      /^onlyPaths of "alice", "Account\[GOLD": (?!.*did you)/,
    );
  });
});

describe("two people", () => {
  async function open(): Promise<TestRig> {
    const clock = new ManualClock();
    const policy = twoPerson({ operations: ["resumeTrading", "updateRiskTable"], withinMs: 60_000, clock });
    return startTestRig({ clock, policy });
  }

  it("are needed: the first call is refused and says what is awaited, the same call of another user is sent", async () => {
    const rig = await open();
    const first = rig.as("alice", { requestId: "first" }).resumeTrading({ reason: "venue is back" });
    expect(await ended(first)).toBe(
      'resumeTrading system-wide needs a second person: requested by "alice"; another user must send the same ' +
        "command by 2026-01-05T09:31:00.000Z",
    );
    expect(await ended(rig.as("bob").resumeTrading({ reason: "agreed" }))).toBe("sent");
    expect(rig.audit.records.map(({ stage, user, reason }) => [stage, user, reason])).toEqual([
      ["denied", "alice", "venue is back"],
      ["intent", "bob", "agreed"],
      ["applied", "bob", "agreed"],
    ]);
    expect(rig.audit.records[0]?.annotations).toEqual({ awaitedUntil: "2026-01-05T09:31:00.000Z" });
    expect(rig.audit.records.at(-1)?.annotations).toEqual({
      requestedBy: "alice",
      requestedAt: "2026-01-05T09:30:00.000Z",
      requestId: "first",
      requestReason: "venue is back",
    });
  });

  it("are needed again for the next call", async () => {
    const rig = await open();
    await ended(rig.as("alice").resumeTrading());
    expect(await ended(rig.as("bob").resumeTrading())).toBe("sent");
    expect(await ended(rig.as("bob").resumeTrading())).toContain('requested by "bob"');
  });

  it("suffice once: of two second people at the same time one is sent", async () => {
    const rig = await open();
    await ended(rig.as("alice").resumeTrading());
    const both = ["bob", "carol"].map((user) => ended(rig.as(user).resumeTrading()));
    expect((await Promise.all(both)).filter((end) => end === "sent")).toHaveLength(1);
  });

  it("are different users, however the name is written", async () => {
    const rig = await open();
    await ended(rig.as("alice").resumeTrading());
    expect(await ended(rig.as("alice").resumeTrading())).toContain("needs a second person");
    expect(await ended(rig.as(principal("ALICE", PERMISSIONS)).resumeTrading())).toContain("needs a second person");
    expect(rig.received("resumeTrading")).toEqual([]);
  });

  it("send the same input; another one is another request", async () => {
    const rig = await open();
    await ended(rig.as("alice").resumeTrading());
    expect(await ended(rig.as("bob").resumeTrading({ projectionPath: "Account[GOLD]" }))).toContain(
      "needs a second person",
    );
  });

  it("may send the fields in another order", async () => {
    const rig = await open();
    const update = (limits: Record<string, string>) => ({
      projection: "Account/Symbol",
      commands: [{ type: "UPDATE" as const, conditions: ROW.conditions, limits }],
    });
    await ended(rig.as("alice").updateRiskTable(update({ MaxOrderSize: "1", MaxPositionLong: "2" })));
    expect(await ended(rig.as("bob").updateRiskTable(update({ MaxPositionLong: "2", MaxOrderSize: "1" })))).toBe(
      "sent",
    );
  });

  it("act within the time; after it the request is void, and the second call is a first one", async () => {
    const rig = await open();
    await ended(rig.as("alice").resumeTrading());
    rig.clock.advance(60_001);
    expect(await ended(rig.as("bob").resumeTrading())).toContain('requested by "bob"');
  });

  it("are not needed for other changes and stops; a stop cannot be named", async () => {
    const rig = await open();
    expect(await ended(rig.as("alice").haltTrading())).toBe("sent");
    expect(
      await ended(rig.as("alice").adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "1" })),
    ).toBe("sent");
    expect(() => twoPerson({ operations: ["haltTrading" as never] })).toThrow("haltTrading is a stop");
    expect(() => twoPerson({ operations: ["getTradingStatus" as never] })).toThrow("is a read");
    expect(() => twoPerson({ operations: ["halt" as never] })).toThrow('no operation "halt"');
  });

  it("D-UAC 23: the second one learns whose request it was before it is sent, the first one and others do not; a listener that throws stops nothing", async () => {
    const rig = await open();
    const approved: unknown[] = [];
    const onApproval = (request: unknown): void => {
      approved.push([request, rig.received("resumeTrading").length]);
      throw new Error("the listener of a host fails");
    };
    await ended(rig.as("alice", { requestId: "first", onApproval }).resumeTrading({ reason: "venue is back" }));
    await ended(rig.as("bob", { onApproval }).haltTrading({ projectionPath: "Account[GOLD]" }));
    expect(approved).toEqual([]);
    const warned = new Promise((resolve) => process.once("warning", resolve));
    expect(await ended(rig.as("bob", { onApproval }).resumeTrading())).toBe("sent");
    const requestedAt = "2026-01-05T09:30:00.000Z";
    const request = { requestedBy: "alice", requestedAt, requestId: "first", requestReason: "venue is back" };
    expect(approved).toEqual([[request, 0]]);
    expect(await warned).toMatchObject({ message: expect.stringContaining("onApproval") });
  });

  it("cannot request what another policy refuses", async () => {
    const rig = await startTestRig({
      policy: allOf(stopOnly(["alice"]), twoPerson({ operations: ["resumeTrading"] })),
    });
    expect(await ended(rig.as("alice").resumeTrading())).toContain("may only stop");
    expect(await ended(rig.as("bob").resumeTrading())).toContain('requested by "bob"');
  });
});
