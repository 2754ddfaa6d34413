import { describe, expect, it } from "vitest";
import { AuditHistory, isSettled, type RecordedRequest } from "../../src/audit/history.ts";
import type { AuditStage } from "../../src/core/records/record.ts";
import { auditRecord } from "./folder.ts";

/** What is known after records of one request with these stages, one second apart. */
function joinedOf(...stages: readonly AuditStage[]): RecordedRequest | undefined {
  const history = new AuditHistory();
  for (const [index, stage] of stages.entries()) {
    const time = `2026-01-05T09:31:0${index}.000001Z`;
    history.add(auditRecord("m1", { stage, time, ...(index > 0 && { status: 200 }) }));
  }
  return history.requests()[0];
}

describe("the records of a request, joined by id", () => {
  it("an intent alone is open", () => {
    expect(joinedOf("intent")).toMatchObject({ outcome: "open", outcomeAt: null, intentRecorded: true });
  });

  it("intent and outcome are one request: the time of the first, the outcome of the last", () => {
    expect(joinedOf("intent", "applied")).toMatchObject({
      time: "2026-01-05T09:31:00.000001Z",
      outcome: "applied",
      outcomeAt: "2026-01-05T09:31:01.000001Z",
      status: 200,
      intentRecorded: true,
    });
  });

  it("a response that comes late settles what was unknown", () => {
    expect(joinedOf("intent", "unknown")?.outcome).toBe("unknown");
    expect(joinedOf("intent", "unknown", "rejected late")?.outcome).toBe("rejected late");
  });

  it("an outcome without intent says so, unless it is a refusal, which has none", () => {
    expect(joinedOf("applied")).toMatchObject({ outcome: "applied", intentRecorded: false });
    for (const outcome of ["denied", "invalid", "not-sent", "login-refused", "login-throttled", "cut-off"] as const)
      expect(joinedOf(outcome)).toMatchObject({ outcome, intentRecorded: true });
  });

  it("another gateway's record with the id of a request changes nothing of it", () => {
    const history = new AuditHistory();
    history.add(auditRecord("m1", { user: "bob" }), "A");
    history.add(auditRecord("m1", { user: "bob", stage: "applied" }), "A");
    history.add(auditRecord("m1", { user: "alice", stage: "rejected" }), "B");
    expect(history.requests().map(({ user, outcome }) => [user, outcome])).toEqual([
      ["bob", "applied"],
      ["alice", "rejected"],
    ]);
  });

  it("a request is settled once no later record is expected, and forgotten it begins anew", () => {
    const stages = [["intent"], ["intent", "unknown"], ["intent", "unknown", "applied late"], ["denied"]] as const;
    const settled = stages.map((all) => isSettled(joinedOf(...all) as RecordedRequest));
    expect(settled).toEqual([false, false, true, true]);
    const history = new AuditHistory();
    history.add(auditRecord("m1"));
    history.add(auditRecord("m2"));
    history.forget("m1");
    expect(history.requests().map(({ id }) => id)).toEqual(["m2"]);
  });

  it("an open request of which a record says that it was cut off is marked, in whichever order they are read, until its outcome comes", () => {
    const at = "2026-01-05T09:40:00.000001Z";
    const cutOff = auditRecord("c1", { stage: "cut-off", event: "cut-off", operation: null, ids: ["m1"], time: at });
    for (const records of [
      [auditRecord("m1"), cutOff],
      [cutOff, auditRecord("m1")],
    ]) {
      const history = new AuditHistory();
      for (const record of [auditRecord("m2"), ...records]) history.add(record);
      const marks = (): (string | undefined)[] =>
        history.requests().flatMap(({ id, cutOffAt }) => (id === "c1" ? [] : [cutOffAt]));
      expect(marks()).toEqual([undefined, at]);
      history.add(auditRecord("m1", { stage: "applied", status: 200 }));
      expect(marks()).toEqual([undefined, undefined]);
    }
  });

  it("an intent that was kept after its outcome does not open the request again", () => {
    expect(joinedOf("applied", "intent")).toMatchObject({ outcome: "applied", intentRecorded: true });
  });
});
