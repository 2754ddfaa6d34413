import { describe, expect, it } from "vitest";
import { AuditHistory, type RecordedRequest } from "../../src/audit/history.ts";
import type { AuditStage } from "../../src/core/records/record.ts";
import { auditRecord } from "./folder.ts";

/** What is known after records of one request with these stages, one second apart. */
function joinedOf(...stages: readonly AuditStage[]): RecordedRequest | undefined {
  const history = new AuditHistory();
  for (const [index, stage] of stages.entries()) {
    history.add(
      auditRecord("m1", { stage, time: `2026-01-05T09:31:0${index}.000001Z`, ...(index > 0 && { status: 200 }) }),
    );
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
    expect(joinedOf("denied")).toMatchObject({ outcome: "denied", intentRecorded: true });
  });

  it("an intent that was kept after its outcome does not open the request again", () => {
    expect(joinedOf("applied", "intent")).toMatchObject({ outcome: "applied", intentRecorded: true });
  });
});
