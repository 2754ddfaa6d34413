import { describe, expect, it } from "vitest";
import { type LineSink, TerminalLines } from "../../src/gateway/log/terminal-lines.ts";

const TIME = "2026-11-22T13:11:59.491Z";

/** What a terminal is sent for these lines of the log. */
function shown(...lines: readonly object[]): string {
  let text = "";
  const screen: LineSink = {
    write: (more) => {
      text += String(more);
    },
  };
  new TerminalLines(screen).write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return text;
}

const RECORD = { level: "info", id: "c-1", time: "2026-11-22T13:11:59.491603Z", gateway: "g", address: "127.0.0.1" };

describe("D-LOG 26: on a terminal the log has short lines", () => {
  it("an audit record says what, by whom, where and why", () => {
    const record = {
      ...RECORD,
      stage: "applied",
      target: "Account[GOLD]",
      reason: "limit breach",
      parameters: { a: 1 },
    };
    expect(shown({ ...record, msg: "haltTrading by alice: applied" })).toBe(
      '13:11:59.491Z haltTrading by alice: applied target=Account[GOLD] reason="limit breach"\n',
    );
  });

  it("an audit record of a system-wide halt that failed says why", () => {
    const record = { ...RECORD, level: "warn", stage: "rejected", target: "", reason: null, message: "no such path" };
    expect(shown({ ...record, msg: "haltTrading by alice: rejected" })).toBe(
      '13:11:59.491Z WARN haltTrading by alice: rejected message="no such path"\n',
    );
  });

  it("lines of requests that were gathered are one each, with user and time taken", () => {
    const request = { level: "info", time: TIME, requestId: "r-1", method: "GET", operation: "getTradingStatus" };
    const line = { ...request, status: 200, user: "alice", durationMs: 0.7204, msg: "GET getTradingStatus: 200" };
    const unknown = { ...line, user: null, status: 401, msg: "GET -: 401" };
    expect(shown(line, unknown)).toBe(
      "13:11:59.491Z GET getTradingStatus: 200 user=alice durationMs=0.72\n13:11:59.491Z GET -: 401 durationMs=0.72\n",
    );
  });

  it("any other line keeps all of its details", () => {
    expect(shown({ level: "error", time: TIME, requestId: "r-1", count: 3, cause: "no\nreply", msg: "Lost" })).toBe(
      '13:11:59.491Z ERROR Lost requestId=r-1 count=3 cause="no\\nreply"\n',
    );
  });

  it("what the terminal would act on is escaped, wherever a caller put it", () => {
    const text = "\u001b[2J\u202e\r\n\u009b31m";
    const hostile = { ...RECORD, stage: "applied", target: text, reason: text, message: text };
    const lines = shown({ ...hostile, msg: `haltTrading by ${text}: applied` });
    expect(lines).toMatch(/^[^\p{Cc}\p{Cf}]+\n$/u);
    expect(lines).toContain("\\u001b[2J");
  });
});
