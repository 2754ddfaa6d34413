import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import type { AdminError } from "../../src/core/errors.ts";
import { PERMISSIONS, type Permission, principal } from "../../src/core/principal.ts";
import { MAX_REQUESTS_PER_USER } from "../../src/core/records/waiting.ts";
import type { ApprovalStore } from "../../src/policy/approvals.ts";
import { twoPerson } from "../../src/policy/index.ts";
import { MemoryApprovals } from "../../src/policy/memory-approvals.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

const WITHIN_MS = 60_000;
const HOUR = 3_600_000;

async function ended(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "sent",
    ({ code, message }: { code: string; message: string }) => (code === "POLICY_DENIED" ? message : code),
  );
}

/** A clock whose wall can be set, as by an operator, while time continues. */
class SetClock implements Clock {
  readonly #held = new ManualClock();
  #setMs = 0;

  now(): number {
    return this.#held.now() + this.#setMs;
  }

  monotonic(): number {
    return this.#held.monotonic();
  }

  schedule(delayMs: number, run: () => void): () => void {
    return this.#held.schedule(delayMs, run);
  }

  set(ms: number): void {
    this.#setMs += ms;
  }

  advance(ms: number): void {
    this.#held.advance(ms);
  }
}

async function rigOver(store: ApprovalStore | undefined, clock: Clock, more = {}): Promise<TestRig> {
  const policy = twoPerson({
    operations: ["resumeTrading"],
    withinMs: WITHIN_MS,
    clock,
    ...(store && { store, gateway: "A" }),
    ...more,
  });
  return startTestRig({ policy });
}

function resume(rig: TestRig, user: string, path = "Account[GOLD]"): Promise<string> {
  return ended(rig.as(user).resumeTrading({ projectionPath: path }));
}

describe("D-SHARE 2: who asked for a change and may send it", () => {
  it.each([
    ["back by hours", -3 * HOUR],
    ["back by less than the time", -WITHIN_MS / 2],
    ["forward by less than the time", WITHIN_MS / 2],
  ])("has no more time when the clock is set %s", async (_, ms) => {
    const clock = new SetClock();
    const rig = await rigOver(undefined, clock);
    await resume(rig, "alice");
    clock.advance(WITHIN_MS - 1_000);
    clock.set(ms);
    clock.advance(2_000);
    expect(await resume(rig, "bob")).toContain('requested by "bob"');
  });

  it("still has the rest of the time when the clock is set back a little", async () => {
    const clock = new SetClock();
    const rig = await rigOver(undefined, clock);
    await resume(rig, "alice");
    clock.set(-WITHIN_MS / 2);
    expect(await resume(rig, "bob")).toBe("sent");
  });

  it("has places of their own, and fills those of nobody else", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    await resume(rig, "bob", "Account[B]");
    for (let at = 0; at < MAX_REQUESTS_PER_USER + 1; at++) await resume(rig, "mallory", `Account[M${at}]`);
    expect(await resume(rig, "carol", "Account[B]")).toBe("sent");
    expect(await resume(rig, "carol", "Account[M0]")).toContain('requested by "carol"');
    expect(await resume(rig, "carol", `Account[M${MAX_REQUESTS_PER_USER}]`)).toBe("sent");
  });

  it("is told once that somebody else has sent it, be it who asked or who would have been the second person, too", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    await resume(rig, "alice");
    expect(await resume(rig, "bob")).toBe("sent");
    for (const user of ["alice", "carol"]) {
      expect(await resume(rig, user)).toMatch(
        / was just sent by "bob", as "alice" had asked, at 2026-.*; nothing was sent now/,
      );
    }
    expect(await resume(rig, "carol")).toContain('requested by "carol"');
    expect(await resume(rig, "alice")).toBe("sent");
    expect(rig.received("resumeTrading")).toHaveLength(2);
  });

  it("is one of all who send at the same time", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    const ends = await Promise.all(["alice", "bob", "carol", "dave"].map((user) => resume(rig, user)));
    expect(ends.filter((end) => end === "sent")).toHaveLength(1);
  });
});

describe("D-SHARE 2: a second person who comes too late", () => {
  const late = (end: string): RegExp =>
    new RegExp(
      `^the request of [0-9:]{8} UTC by "alice" ${end}; yours is now the first\\. resumeTrading of .* requested by "bob".*Z$`,
    );
  const halt = (rig: TestRig) =>
    rig.as("carol").haltTrading({ projectionPath: "Account[GOLD]", reason: "stale again" });

  it.each([
    [
      "that the request has expired",
      "has expired",
      async (_rig: TestRig, clock: ManualClock) => clock.advance(WITHIN_MS + 1),
    ],
    ["who stopped again", 'is void, as "carol" sent haltTrading at [0-9:]{8} UTC', halt],
  ])("is told once %s, and the next one sends it", async (_, end, happen) => {
    const clock = new ManualClock();
    const rig = await rigOver(undefined, clock);
    await resume(rig, "alice");
    await happen(rig, clock);
    expect(await resume(rig, "bob")).toMatch(late(end));
    expect(await resume(rig, "bob")).toMatch(/^resumeTrading of /);
    expect(await resume(rig, "carol")).toBe("sent");
  });

  it("is told that the user who asked may no longer do so", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    const alice = { ...principal("alice", PERMISSIONS), permissions: new Set(PERMISSIONS) };
    await ended(rig.api.call("resumeTrading", { projectionPath: "Account[GOLD]" }, alice));
    alice.permissions.clear();
    expect(await resume(rig, "bob")).toMatch(late("is void, as that user may no longer send it"));
    expect(await resume(rig, "bob")).toMatch(/^resumeTrading of /);
  });

  it.each([
    ["has expired", async (_rig: TestRig, clock: ManualClock) => clock.advance(WITHIN_MS + 1)],
    ["was voided", halt],
  ])("is not who asked: that one sends a new request where the former %s", async (_, happen) => {
    const clock = new ManualClock();
    const rig = await rigOver(undefined, clock);
    await resume(rig, "alice");
    await happen(rig, clock);
    expect(await resume(rig, "alice")).toMatch(/^resumeTrading of /);
    expect(await resume(rig, "bob")).toBe("sent");
  });

  it("is not told of requests that were approved, nor of one that expired long ago", async () => {
    const clock = new ManualClock();
    const rig = await rigOver(undefined, clock);
    await resume(rig, "alice");
    await resume(rig, "carol");
    clock.advance(WITHIN_MS + 1);
    expect(await resume(rig, "bob")).toMatch(/^resumeTrading of /);
    clock.advance(WITHIN_MS + 2 * HOUR);
    expect(await resume(rig, "dave")).toMatch(/^resumeTrading of /);
  });

  it("is told of the stop at every gateway of a store, and of nothing that the store does not know", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    const forgetful: ApprovalStore = {
      put: (request) => store.put(request),
      list: (command) => store.list(command),
      take: (revision, taker) => store.take(revision, structuredClone(taker)),
    };
    const [a, b] = [await rigOver(forgetful, clock), await rigOver(forgetful, clock)];
    await resume(a, "alice");
    await halt(a);
    expect(await resume(b, "bob")).toMatch(late('is void, as "carol" sent haltTrading at [0-9:]{8} UTC'));
    clock.advance(WITHIN_MS + 1);
    expect(await resume(b, "dave")).toMatch(/^resumeTrading of /);
  });
});

describe("D-SHARE 7: a stop after a request", () => {
  it("voids it: who consented to take one stop back has not consented to take back the next", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    await resume(rig, "alice");
    await rig.as("carol").haltTrading({ projectionPath: "Account[GOLD]", reason: "another price feed is stale" });
    expect(await resume(rig, "bob")).toContain('requested by "bob"');
    expect(rig.received("resumeTrading")).toHaveLength(0);
    expect(await resume(rig, "alice")).toBe("sent");
  });

  it("voids it, and is voided, in whatever order the segments of the path come", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    const [path, swapped] = ["Source[A]/Account[GOLD]", "Account[GOLD]/Source[A]"];
    await resume(rig, "alice", path);
    await rig.as("carol").haltTrading({ projectionPath: swapped, reason: "another price feed is stale" });
    expect(await resume(rig, "bob", path)).toContain('requested by "bob"');
    expect(await resume(rig, "alice", swapped)).toBe("sent");
  });

  it("ends what is told of the resume before: the next request, and its second person, are for the new stop", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    const halt = (reason: string) => rig.as("carol").haltTrading({ projectionPath: "Account[GOLD]", reason });
    for (const reason of ["bad price feed", "bad price feed", "limit breach"]) {
      await halt(reason);
      expect(await resume(rig, "alice")).toContain('requested by "alice"');
      expect(await resume(rig, "bob")).toBe("sent");
    }
    await halt("limit breach");
    expect(await resume(rig, "bob")).toContain('requested by "bob"');
    expect(await resume(rig, "alice")).toBe("sent");
  });

  it.each([
    ["resumeTrading", "haltTrading", { projectionPath: "Account[GOLD]" }],
    ["enableService", "disableService", { name: "TWAP" }],
    ["enableFixSession", "disableFixSession", { gateway: "OE1", session: "FIXCLIENT1" }],
  ] as const)("voids one that arrived before it and is decided about after it: %s", async (undo, stop, target) => {
    const rig = await rigOver(undefined, new ManualClock(), { operations: [undo] });
    const send = (user: string, arrival = rig.api.arrive()) =>
      ended(rig.api.call(undo, { ...target }, principal(user, PERMISSIONS), { arrival }));
    const early = rig.api.arrive();
    await rig.api.call(stop, { ...target }, principal("carol", PERMISSIONS));
    expect(await send("alice", early)).toContain("was stopped meanwhile; nothing was sent");
    expect(await send("bob")).toContain('requested by "bob"');
    expect(await send("alice")).toBe("sent");
  });

  it("voids one that is being stored", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    let stop: () => Promise<unknown> = async () => {};
    const slow: ApprovalStore = {
      put: async (request) => {
        await stop();
        return store.put(request);
      },
      list: (command) => store.list(command),
      take: (revision, taker) => store.take(revision, taker),
    };
    const rig = await rigOver(slow, clock);
    stop = () => rig.as("carol").haltTrading({ projectionPath: "Account[GOLD]" });
    expect(await resume(rig, "alice")).toContain("was stopped meanwhile; nothing was sent");
    stop = async () => {};
    expect(await resume(rig, "bob")).toContain('requested by "bob"');
  });

  it("of another node leaves it", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    await resume(rig, "alice");
    await rig.as("carol").haltTrading({ projectionPath: "Account[SILVER]" });
    await rig.as("carol").haltTrading({});
    expect(await resume(rig, "bob")).toBe("sent");
  });

  it("voids it at every gateway with the same store, and never waits for the store", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    const [a, b] = [await rigOver(store, clock), await rigOver(store, clock)];
    await resume(a, "alice");
    await b.as("carol").haltTrading({ projectionPath: "Account[GOLD]" });
    expect(await resume(a, "bob")).toContain('requested by "bob"');
    const silent: ApprovalStore = {
      put: (request) => store.put(request),
      list: () => new Promise(() => {}),
      take: (revision, taker) => store.take(revision, taker),
    };
    const c = await rigOver(silent, clock);
    await c.as("carol").haltTrading({ projectionPath: "Account[GOLD]" });
    expect(c.received("haltTrading")).toHaveLength(1);
  });

  it("that came another way, and that the store knows nothing of, voids it once the engine shows its reason", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    const projectionPath = "Account[GOLD]";
    const shows = (reason: string) =>
      rig.until(() => rig.engine.getTradingStatus({ projectionPath }).reason === reason);
    await rig.as("alice").haltTrading({ projectionPath, reason: "first breach" });
    await shows("first breach");
    await resume(rig, "alice");
    rig.engine.haltTrading({ projectionPath, reason: "second breach", cancelOrders: false });
    await shows("second breach");
    expect(await resume(rig, "bob")).toMatch(
      / by "alice" is void, as the stop has changed at the engine since; .*requested by "bob"/,
    );
    expect(rig.received("resumeTrading")).toEqual([]);
    expect(await resume(rig, "alice")).toBe("sent");
  });

  it("is not made where finding out took too long: its call is refused, and nobody may count on it", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    const slow: ApprovalStore = {
      put: (request) => store.put(request),
      list: async (command) => {
        clock.advance(3_000);
        return store.list(command);
      },
      take: (revision, taker) => store.take(revision, taker),
    };
    expect(await resume(await rigOver(slow, clock), "alice")).toBe("POLICY_FAILED");
    expect(await resume(await rigOver(store, clock), "bob")).toContain('requested by "bob"');
  });

  it("is looked for at the engine: where that does not say what is stopped, nothing is sent", async () => {
    const rig = await rigOver(undefined, new ManualClock());
    await resume(rig, "alice");
    for (const [kind, code] of [
      ["garbage", "POLICY_FAILED"],
      ["overload", "ENGINE_OVERLOADED"],
    ] as const) {
      rig.faults.add({ kind, operation: "getTradingStatus", times: 1 });
      expect(await resume(rig, "bob")).toBe(code);
    }
    expect(rig.received("resumeTrading")).toEqual([]);
    expect(await resume(rig, "bob")).toBe("sent");
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("no connection")), /^no connection$/],
    ["never responds", () => new Promise<never>(() => {}), /did not respond within 5000 ms/],
  ])("that a store does not void, as it %s, is reported for the log", async (_, list, reason) => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    const rig = await rigOver({ put: (ask) => store.put(ask), list, take: (...taken) => store.take(...taken) }, clock);
    const failures: AdminError[] = [];
    rig.api.on("failure", ({ error }) => failures.push(error));
    await rig.as("carol").haltTrading({ projectionPath: "Account[GOLD]" });
    clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
    const [{ message, cause } = expect.fail("nothing was reported")] = failures;
    expect(message).toContain("requests to take the stop back could not be voided");
    expect(((cause as Error).cause as Error).message).toMatch(reason);
  });

  it("is made up for where the store was unavailable: an earlier request does not help the second person", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    let isAvailable = true;
    const rig = await rigOver(
      {
        put: (request) => store.put(request),
        list: (command) => (isAvailable ? store.list(command) : Promise.reject(new Error("no connection"))),
        take: (revision, taker) => store.take(revision, taker),
      },
      clock,
    );
    expect(await resume(rig, "alice")).toContain("needs a second person");
    isAvailable = false;
    await rig.as("carol").haltTrading({ projectionPath: "Account[GOLD]" });
    isAvailable = true;
    expect(await resume(rig, "bob")).not.toBe("sent");
    expect(rig.received("resumeTrading")).toEqual([]);
    expect(await resume(rig, "alice")).toBe("sent");
  });

  it.each([
    ["enableService", "disableService", { name: "TWAP" }],
    ["enableFixSession", "disableFixSession", { gateway: "OE1", session: "FIXCLIENT1" }],
  ] as const)("holds for %s, too", async (operation, stop, target) => {
    const policy = twoPerson({ operations: [operation], clock: new ManualClock() });
    const rig = await startTestRig({ policy });
    const send = (user: string, name: typeof operation | typeof stop): Promise<string> =>
      ended((rig.as(user)[name] as (input: unknown) => Promise<unknown>)(target));
    await send("alice", operation);
    await send("carol", stop);
    expect(await send("bob", operation)).toContain('requested by "bob"');
    expect(rig.received(operation)).toHaveLength(0);
  });

  it("that voids the request while the second person sends is what that person is told", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    const voided: ApprovalStore = {
      put: (request) => store.put(request),
      list: (command) => store.list(command),
      take: async (revision, taker) => {
        await store.take(revision, { ...taker, user: "bob" });
        return store.take(revision, taker);
      },
    };
    const [a, b] = [await rigOver(store, clock), await rigOver(voided, clock)];
    await resume(a, "alice");
    expect(await resume(b, "bob")).toBe(
      'resumeTrading of "Account[GOLD]" was stopped meanwhile; nothing was sent. Send it again to ask for it',
    );
  });
});

describe("D-SHARE 1: a store of the host's", () => {
  it("D-SHARE 4: the record of a request says that it waits in a store, and of one in the memory of the gateway it does not", async () => {
    const clock = new ManualClock();
    for (const store of [new MemoryApprovals(clock, WITHIN_MS), undefined]) {
      const rig = await rigOver(store, clock);
      await resume(rig, "alice");
      const annotations = rig.audit.records.at(-1)?.annotations;
      expect(annotations).toMatchObject({ awaitedUntil: expect.any(String) });
      expect(Object.entries(annotations ?? {}).filter(([name]) => name === "awaitedIn")).toEqual(
        store ? [["awaitedIn", "store"]] : [],
      );
    }
  });

  it("makes two gateways one, and may know who was removed", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    const known = new Map<string, ReadonlySet<Permission>>();
    const permissionsOf = (user: string) => known.get(user);
    // A store on the network gives back copies.
    const remote: ApprovalStore = {
      put: (request) => store.put(structuredClone(request)),
      list: async (command) => structuredClone(await store.list(command)),
      take: (revision, taker) => store.take(revision, taker),
    };
    const [a, b] = [await rigOver(remote, clock, { permissionsOf }), await rigOver(remote, clock, { permissionsOf })];
    expect(await resume(a, "alice")).toContain('requested by "alice" at gateway "A"');
    expect(await resume(b, "bob")).toContain('requested by "bob"');
    for (const user of ["alice", "bob"]) known.set(user, new Set(PERMISSIONS));
    expect(await resume(a, "alice")).toBe("sent");
  });

  it("which fails, or takes too long to say who asked, has changes refused, takes nothing, and is not asked for stops", async () => {
    const clock = new ManualClock();
    const store = new MemoryApprovals(clock, WITHIN_MS);
    let slow = 0;
    const slowStore: ApprovalStore = {
      put: (request) => store.put(request),
      list: (command) => {
        clock.advance(slow);
        return slow < 0 ? Promise.reject(new Error("away")) : store.list(command);
      },
      take: (revision, taker) => store.take(revision, taker),
    };
    const rig = await rigOver(slowStore, clock, { storeTimeoutMs: 1_000 });
    await resume(rig, "alice");
    slow = 300;
    expect(await resume(rig, "bob")).toBe("POLICY_FAILED");
    slow = -1;
    expect(await resume(rig, "bob")).toBe("POLICY_FAILED");
    expect(await ended(rig.as("bob").haltTrading())).toBe("sent");
    slow = 0;
    expect(await resume(rig, "bob")).toBe("sent");
  });
});
