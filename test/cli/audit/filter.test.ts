import { describe, expect, it } from "vitest";
import { AuditHistory, type RecordedRequest } from "../../../src/audit/history.ts";
import { type AuditFilterOptions, auditFilter, instantOf } from "../../../src/cli/audit/filter.ts";
import { auditRecord } from "../../audit/folder.ts";

const NOW = Date.parse("2026-01-05T10:00:00Z");

function requests(): RecordedRequest[] {
  const history = new AuditHistory();
  history.add(auditRecord("halt", { time: "2026-01-05T09:31:00.000001Z" }));
  history.add(auditRecord("halt", { time: "2026-01-05T09:31:00.200000Z", stage: "applied" }));
  history.add(auditRecord("open", { time: "2026-01-05T09:40:00.000001Z", operation: "resumeTrading" }));
  history.add(
    auditRecord("many", {
      time: "2026-01-05T09:50:00.000001Z",
      stage: "denied",
      user: "eve",
      operation: null,
      operations: { resumeTrading: 980 },
    }),
  );
  return history.requests();
}

function shown(options: AuditFilterOptions): string[] {
  return requests()
    .filter(auditFilter(options, NOW))
    .map(({ id }) => id);
}

describe("audit show: which requests", () => {
  it.each([
    [{}, ["halt", "open", "many"]],
    [{ user: "chief" }, ["halt", "open"]],
    [{ operation: "resumeTrading" }, ["open", "many"]],
    [{ outcome: "open" }, ["open"]],
    [{ outcome: "applied" }, ["halt"]],
    [{ since: "09:40" }, ["open", "many"]],
    [{ since: "15m" }, ["many"]],
    [{ until: "2026-01-05T09:40:00Z" }, ["halt"]],
    [{ user: "chief", outcome: "denied" }, []],
  ])("selects by %j", (options, expected) => {
    expect(shown(options)).toEqual(expected);
  });

  it.each([
    [{ operation: "haltTradin" }, /--operation: there is no "haltTradin"; did you mean "haltTrading"\?/],
    [{ outcome: "done" }, /--outcome: there is no "done"/],
    [{ since: "yesterday" }, /--since: must be a time such as 15m/],
  ])("refuses %j and lists the choices", (options, message) => {
    expect(() => auditFilter(options, NOW)).toThrow(message);
  });
});

describe("audit show --target", () => {
  const TARGETS: readonly (string | null)[] = [
    "",
    "Account[GOLD]/Symbol[A/B]",
    "Account[GOLD]",
    "TWAP",
    "OE1/C1",
    null,
  ];

  it.each([
    ["", [""]],
    ["(root)", [""]],
    ["Account[GOLD]", ["Account[GOLD]"]],
    ["Symbol[A/B]/Account[GOLD]", ["Account[GOLD]/Symbol[A/B]"]],
    ["TWAP", ["TWAP"]],
    ["OE1/C1", ["OE1/C1"]],
    ["SILVER", []],
  ])("%j selects that target alone, in whatever order its segments are", (target, expected) => {
    const history = new AuditHistory();
    for (const [index, one] of TARGETS.entries()) history.add(auditRecord(String(index), { target: one }));
    const found = history.requests().filter(auditFilter({ target }, NOW));
    expect(found.map((request) => request.target)).toEqual(expected);
  });
});

describe("audit show --since: points in time, in UTC", () => {
  it.each([
    ["90s", "2026-01-05T09:58:30.000Z"],
    ["2h", "2026-01-05T08:00:00.000Z"],
    ["7d", "2025-12-29T10:00:00.000Z"],
    ["09:31", "2026-01-05T09:31:00.000Z"],
    ["9:31", "2026-01-05T09:31:00.000Z"],
    ["09:31:05.250", "2026-01-05T09:31:05.250Z"],
    ["2026-01-04", "2026-01-04T00:00:00.000Z"],
    ["2026-01-04T12:00", "2026-01-04T12:00:00.000Z"],
    ["2026-01-04T12:00:00+02:00", "2026-01-04T10:00:00.000Z"],
  ])("takes %s", (text, instant) => {
    expect(new Date(instantOf("--since", text, NOW)).toISOString()).toBe(instant);
  });

  it.each(["", "25:00", "2026-13-01", "2026-01-04 12:00", "1", "-5m"])("refuses %j", (text) => {
    expect(() => instantOf("--since", text, NOW)).toThrow(/^--since: must be a time/);
  });
});
