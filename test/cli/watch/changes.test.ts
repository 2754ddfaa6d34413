import { describe, expect, it } from "vitest";
import { positionChanges } from "../../../src/cli/watch/positions.ts";
import { type Session, sessionChanges, sessionSummary } from "../../../src/cli/watch/sessions.ts";
import { tradingChanges } from "../../../src/cli/watch/trading.ts";

const SESSION: Session = {
  gatewayName: "OE1",
  sessionId: "A",
  status: "Connected",
  localPort: 5001,
  remoteIp: "10.1.1.1",
  remotePort: 4000,
  inboundSequence: 10,
  outboundSequence: 20,
};

function words(before: Partial<Session>, now: Partial<Session>, traffic = false): string[] {
  return sessionChanges([{ ...SESSION, ...before }], [{ ...SESSION, ...now }], traffic).map((change) => change.words);
}

describe("fix watch: what is worth a line", () => {
  it.each([
    [
      "a loss",
      {},
      { status: "Disconnected", remoteIp: null, remotePort: null },
      ["status Connected -> Disconnected, peer 10.1.1.1:4000 -> none"],
    ],
    ["a new connection of the same peer", {}, { remotePort: 4001 }, ["peer 10.1.1.1:4000 -> 10.1.1.1:4001"]],
    ["sequence numbers that go on", {}, { inboundSequence: 11, outboundSequence: 25 }, []],
    ["a reset", {}, { inboundSequence: 1, outboundSequence: 21 }, ["inbound 10 -> 1"]],
  ] as const)("prints %s", (_, before, now, expected) => {
    expect(words(before, now)).toEqual(expected);
  });

  it("prints every sequence number that moved with traffic", () => {
    expect(words({}, { inboundSequence: 11, outboundSequence: 25 }, true)).toEqual([
      "inbound 10 -> 11, outbound 20 -> 25",
    ]);
  });

  it("prints sessions that come and go, and how many there are", () => {
    const other = { ...SESSION, sessionId: "B", status: "Disabled" as const };
    expect(sessionChanges([SESSION], [other], false).map(({ about, words: said }) => `${about} ${said}`)).toEqual([
      "OE1/B new: status Disabled, peer 10.1.1.1:4000, inbound 10, outbound 20",
      "OE1/A gone",
    ]);
    expect(sessionSummary([SESSION, other])).toBe("2 sessions: 1 Connected, 1 Disabled");
  });
});

describe("trading watch and positions watch", () => {
  it("print a halt with its reason", () => {
    const before = { projectionPath: "", halted: false, reason: null };
    expect(tradingChanges([before], [{ ...before, halted: true, reason: "drill" }])).toEqual([
      {
        about: "system-wide",
        words: "trading not halted -> halted, reason drill",
        fields: { trading: { from: "not halted", to: "halted" }, reason: { from: null, to: "drill" } },
      },
    ]);
  });

  it("print sizes, not values that follow the market", () => {
    const values = { averageCost: "1", realizedPnL: "1", unrealizedPnL: "1", marketValue: "1", totalCommission: "0" };
    const before = { projection: "Symbol[A]", symbol: "A", size: "1", openBuySize: "0", openSellSize: "0", ...values };
    const now = { ...before, size: "-2.5", marketValue: "99" };
    expect(positionChanges([before], [now]).map(({ words: said }) => said)).toEqual(["size 1 -> -2.5"]);
  });
});
