import { describe, expect, it } from "vitest";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { startTestRig } from "../../src/testing/rig.ts";

const USERS = {
  alice: { password: "secret", permissions: ["HALT_RESUME_TRADING"] },
  viewer: { password: "look", permissions: [] },
} as const;

const HALT = { method: "POST", url: "/api/admin/v1/trading/halt" };

function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

describe("rig.inject: HTTP without a socket", () => {
  it("logs users of the rig in over HTTP Basic, and gives status, headers, body and json()", async () => {
    const rig = await startTestRig({ users: USERS });
    const halted = await rig.inject({ ...HALT, headers: basic("alice", "secret"), body: { reason: "drill" } });
    expect([halted.status, halted.body]).toEqual([200, ""]);
    rig.clock.advance(1_000);
    const status = await rig.inject({ url: "/api/admin/v1/trading/status", headers: basic("viewer", "look") });
    expect(status.headers["content-type"]).toContain("application/json");
    expect(status.json()).toEqual({ projectionPath: "", halted: true, reason: "drill" });
    expect(rig.audit.records.at(-1)).toMatchObject({ user: "alice", authentication: "basic", address: "127.0.0.1" });
  });

  it("responds 401 to wrong credentials and to none, 403 without the permission, 404 elsewhere", async () => {
    const rig = await startTestRig({ users: USERS });
    const statuses = [
      await rig.inject({ ...HALT, headers: basic("alice", "wrong") }),
      await rig.inject({ ...HALT, headers: basic("nobody", "secret") }),
      await rig.inject(HALT),
      await rig.inject({ ...HALT, headers: basic("viewer", "look") }),
      await rig.inject({ url: "/elsewhere" }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401, 403, 404]);
  });

  it("sends as a principal or as a user of the rig without credentials", async () => {
    const rig = await startTestRig({ users: USERS });
    expect((await rig.inject({ ...HALT, as: principal("bob", PERMISSIONS) })).status).toBe(200);
    expect((await rig.inject({ ...HALT, as: "alice" })).status).toBe(200);
    expect(rig.audit.records.map(({ user }) => user)).toEqual(["bob", "bob", "alice", "alice"]);
    await expect(rig.inject({ ...HALT, as: "carol" })).rejects.toThrow('no user "carol"');
  });

  it("hands audit records to the sink of the test, in place of its own", async () => {
    const kept: string[] = [];
    const rig = await startTestRig({ users: USERS, audit: { write: ({ stage }) => void kept.push(stage) } });
    await rig.as("alice").haltTrading();
    expect([kept, rig.audit.records]).toEqual([["intent", "applied"], []]);
  });

  it("takes a text unchanged, any method and any header", async () => {
    const rig = await startTestRig({ users: USERS });
    const broken = await rig.inject({ ...HALT, as: "alice", body: '{"reason": "a", "reason": "b"}' });
    expect([broken.status, broken.json<{ message: string }>().message]).toEqual([
      400,
      expect.stringContaining("reason"),
    ]);
    const typed = await rig.inject({ ...HALT, as: "alice", body: "x", headers: { "Content-Type": "text/plain" } });
    expect(typed.status).toBe(415);
    const head = await rig.inject({ method: "HEAD", url: "/api/admin/v1/services", as: "viewer" });
    expect([head.status, head.body]).toEqual([200, ""]);
  });
});

describe("rig.as, rig.received, rig.until", () => {
  it("give the typed calls of a user or a principal (as)", async () => {
    const rig = await startTestRig({ users: USERS });
    await rig.as("alice").haltTrading({ reason: "drill" });
    await rig.as(principal("bob", PERMISSIONS)).resumeTrading();
    expect(rig.received().map(({ method, context }) => [method, context.user])).toEqual([
      ["haltTrading", "alice"],
      ["resumeTrading", "bob"],
    ]);
    expect(rig.received("haltTrading").map(({ input }) => input.reason)).toEqual(["drill"]);
  });

  it("let the held time pass that a condition needs, and return its value (until)", async () => {
    const rig = await startTestRig({ users: USERS });
    await rig.as("alice").haltTrading();
    const status = await rig.until(async () => {
      const now = await rig.as("viewer").getTradingStatus();
      return now.halted && now;
    });
    expect(status).toMatchObject({ halted: true });
  });

  it("take any name where no users are configured, with all permissions, and log nobody in", async () => {
    const rig = await startTestRig();
    await rig.as("alice", { requestId: "r-1", address: "192.0.2.7" }).haltTrading();
    expect((await rig.inject({ ...HALT, as: "bob" })).status).toBe(200);
    expect((await rig.inject({ ...HALT, headers: basic("alice", "") })).status).toBe(401);
    expect(rig.audit.records.map(({ user }) => user)).toEqual(["alice", "alice", "bob", "bob"]);
    expect(rig.audit.records[0]).toMatchObject({ requestId: "r-1", address: "192.0.2.7" });
  });

  it("wait without the held clock if they are told so (until)", async () => {
    const rig = await startTestRig({ users: USERS });
    const start = rig.clock.now();
    let isThere = false;
    setTimeout(() => {
      isThere = true;
    }, 100);
    expect(await rig.until(() => isThere, { stepMs: 0 })).toBe(true);
    expect(rig.clock.now()).toBe(start);
  });

  it("say after a minute of the held clock what did not hold (until)", async () => {
    const rig = await startTestRig();
    const start = rig.clock.now();
    await expect(rig.until(() => rig.audit.records.length > 7, { stepMs: 250 })).rejects.toThrow("records.length > 7");
    expect(rig.clock.now() - start).toBe(60_000);
  });

  it("ask a policy, also as `authorize`", async () => {
    for (const name of ["policy", "authorize"]) {
      const rig = await startTestRig({ users: USERS, [name]: () => "frozen" });
      expect((await rig.inject({ ...HALT, as: "alice" })).json()).toMatchObject({ status: 403, message: "frozen" });
    }
  });

  it("refuse two policies, of which one would be ignored", async () => {
    const [policy, authorize] = [() => undefined, () => "frozen"];
    await expect(startTestRig({ policy, authorize } as never)).rejects.toThrow("`policy` or `authorize`, not both");
  });

  it("repeat the generated activity for a seed, and change it for another one", async () => {
    const trades = async (seed: number): Promise<unknown> => {
      const rig = await startTestRig({ seed });
      rig.engine.start();
      rig.clock.advance(60_000);
      rig.engine.stop();
      return rig.as(principal("viewer")).listPositions({ projection: "Account/Symbol" });
    };
    expect(await trades(1)).toEqual(await trades(1));
    expect(await trades(1)).not.toEqual(await trades(2));
  });

  it("are independent in several rigs", async () => {
    const [one, other] = await Promise.all([startTestRig({ users: USERS }), startTestRig({ users: USERS })]);
    one.faults.add({ kind: "overload" });
    await one
      .as("alice")
      .haltTrading()
      .catch(() => undefined);
    await other.as("alice").haltTrading();
    expect([one.received().length, other.received().length]).toEqual([0, 1]);
  });
});
