import { beforeEach, describe, expect, it } from "vitest";
import { principal } from "../../src/core/principal.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { cases } from "../support/extent.ts";

const MINUTE = 60_000;

let rig: TestRig;

beforeEach(async () => {
  rig = await startTestRig();
});

/** A user without permissions asks for a resume, so many times. */
async function denied(times: number, user = "eve"): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const calls = rig.as(principal(user), { requestId: `${user}-${time}`, address: "192.0.2.1" });
    await expect(calls.resumeTrading()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  }
}

async function invalid(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const call = rig.as("chief").adjustPosition({ projectionPath: "Symbol[A]", size: "ten" });
    await expect(call).rejects.toMatchObject({ status: 400 });
  }
}

/** Records so far, which are forgotten. */
function recorded(): AuditRecord[] {
  return rig.audit.records.splice(0);
}

/** Far more than are counted one by one. */
const USERS = cases(10_000);

describe("D-LOG 9: refusals of one user beyond 20 a minute are recorded as a number with their operations", () => {
  it("and the first 20 one by one, what follows within the minute by stage", async () => {
    await denied(30);
    await expect(rig.as(principal("eve")).haltTrading()).rejects.toMatchObject({ status: 403 });
    const single = recorded();
    expect(single.map(({ stage, operation, count }) => [stage, operation, count])).toEqual(
      Array(20).fill(["denied", "resumeTrading", undefined]),
    );
    rig.clock.advance(MINUTE);
    expect(recorded()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        time: expect.stringMatching(/Z$/),
        stage: "denied",
        gateway: expect.any(String),
        user: "eve",
        authentication: "direct",
        address: "192.0.2.1",
        operation: null,
        target: null,
        parameters: {},
        reason: null,
        requestId: "eve-20",
        count: 11,
        operations: { resumeTrading: 10, haltTrading: 1 },
      },
    ]);
  });

  it("for each user; denied and invalid ones are counted together and recorded apart", async () => {
    await denied(21);
    await invalid(25);
    await denied(3, "mallory");
    recorded();
    rig.clock.advance(MINUTE);
    expect(recorded().map(({ user, stage, count, operations }) => ({ user, stage, count, operations }))).toEqual([
      { user: "eve", stage: "denied", count: 1, operations: { resumeTrading: 1 } },
      { user: "chief", stage: "invalid", count: 5, operations: { adjustPosition: 5 } },
    ]);
  });

  it("with a record for each stage if one user is refused for lack of a permission and for bad input", async () => {
    await denied(20);
    const eve = rig.as(principal("eve", ["POSITION_ADJUSTMENT"]));
    for (const _ of [1, 2, 3]) {
      await expect(eve.adjustPosition({ projectionPath: "Symbol[A]", size: "ten" })).rejects.toMatchObject({
        status: 400,
      });
    }
    await denied(2);
    recorded();
    rig.clock.advance(MINUTE);
    expect(recorded().map(({ stage, count, operations }) => ({ stage, count, operations }))).toEqual([
      { stage: "invalid", count: 3, operations: { adjustPosition: 3 } },
      { stage: "denied", count: 2, operations: { resumeTrading: 2 } },
    ]);
  });

  it("and no caller waits for a refusal that is only counted, and its parameters are not stored", async () => {
    await denied(20);
    rig.audit.failure = new Error("disk full");
    const lost: AuditRecord[] = [];
    rig.api.on("auditFailure", ({ record }) => lost.push(record));
    await denied(5);
    expect(lost).toEqual([]);
  });

  it("while mutations that are sent are recorded one by one, however many there are", async () => {
    await invalid(21);
    recorded();
    for (let time = 0; time < 30; time += 1) await rig.as("chief").enableService({ name: "TWAP" });
    expect(recorded().map(({ stage }) => stage)).toEqual(Array(30).fill(["intent", "applied"]).flat());
  });

  it("and of many users 256 are counted one by one, the others together", async () => {
    for (let user = 0; user < USERS; user += 1) await denied(1, `user${user}`);
    const single = recorded();
    expect(single).toHaveLength(256 + 20);
    rig.clock.advance(MINUTE);
    expect(recorded()).toMatchObject([{ user: null, address: null, count: USERS - 276 }]);
  });

  it("when the API closes at the latest, and no timer is left behind", async () => {
    await denied(22);
    recorded();
    await rig.close();
    expect(recorded()).toMatchObject([{ stage: "denied", user: "eve", count: 2 }]);
    expect(rig.clock.pending).toBe(0);
  });

  it("and nothing is counted for later once the API is closed, as its audit sink may be closed, too", async () => {
    await rig.api.close();
    await invalid(67);
    recorded();
    rig.clock.advance(MINUTE);
    expect(recorded()).toEqual([]);
  });
});
