import { describe, expect, it } from "vitest";
import { EngineOrder } from "../../src/audit/engine-order.ts";
import type { RecordedRequest } from "../../src/audit/history.ts";
import { auditRecord } from "./folder.ts";

const AT = Date.parse("2026-01-05T09:31:00Z");

const time = (ms: number): string => new Date(AT + ms).toISOString();

/** A request that its gateway received and settled at these milliseconds, by its own clock; `engine` is the engine's. */
function request(id: string, gateway: string, asked: number, settled?: number, engine?: number): RecordedRequest {
  const { stage: _stage, ...fields } = auditRecord(id, { gateway, time: time(asked) });
  return {
    ...fields,
    outcome: settled === undefined ? "open" : "applied",
    outcomeAt: settled === undefined ? null : time(settled),
    ...(engine !== undefined && { engineTime: time(engine) }),
    intentRecorded: true,
  };
}

function sorted(...requests: RecordedRequest[]): string {
  return new EngineOrder(requests)
    .sort(requests)
    .map(({ id }) => id)
    .join(" ");
}

describe("D-LOG 18: the order of requests of several gateways", () => {
  it("is that in which the engine replied, not that in which they were asked for", () => {
    expect(sorted(request("late", "a", 0, 900, 900), request("early", "b", 100, 200, 200))).toBe("early late");
  });

  it("corrects what has no reply by the offset that the gateway had then", () => {
    const before = request("before", "b", 200_000, 200_010, 5);
    const open = request("open", "b", 250_000);
    const set = request("set", "b", 60_000, 60_010, 60_000);
    const last = request("last", "b", 70_000);
    const others = [request("a1", "a", 49_000, 49_001, 49_000), request("a2", "a", 51_000, 51_001, 51_000)];
    expect(sorted(last, set, open, before, ...others)).toBe("before a1 open a2 set last");
  });

  it("takes no offset from a reply that took long, and none below a second", () => {
    const late = request("late", "b", 0, 78_000, 0);
    expect(sorted(late, request("open", "b", 80_000), request("a", "a", 70_000, 70_001, 70_000))).toBe("late a open");
    const near = request("near", "b", 900, 910, 0);
    expect(sorted(near, request("open", "b", 1_500), request("a", "a", 1_000, 1_001, 1_000))).toBe("near a open");
    expect(new EngineOrder([late, near]).disagreeing.size).toBe(0);
  });

  it("is that of the gateways' own clocks where no record has the engine's time", () => {
    expect(sorted(request("2", "a", 20, 30), request("1", "b", 10, 90))).toBe("1 2");
  });
});
