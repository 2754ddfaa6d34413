import { describe, expect, it } from "vitest";
import { type Session, sessionName } from "../../../src/cli/fix/session-list.ts";
import { positionChanges } from "../../../src/cli/watch/positions.ts";
import { sessionChanges, type Watching, watching } from "../../../src/cli/watch/session-history.ts";
import { sessionSummary } from "../../../src/cli/watch/sessions.ts";
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

it("sessions whose gateways and ids give the same text have different names, so that a watch tells them apart", () => {
  const names = [
    ["OE1", "EUR/USD desk"],
    ["A", "B/C"],
    ["A/B", "C"],
    ['"A', 'B"/C'],
  ].map(([gatewayName = "", sessionId = ""]) => sessionName({ ...SESSION, gatewayName, sessionId }));
  expect(names.slice(0, 3)).toEqual(["OE1/EUR/USD desk", "A/B/C", '"A/B"/C']);
  expect(new Set(names).size).toBe(4);
});

/** How a session looks at a moment, in seconds; `connected` is the time of its connection where it was read. */
interface Moment extends Partial<Session> {
  readonly at?: number;
  readonly connected?: number;
}

/** What a watch says after each of some moments in the life of a session. */
function told(moments: readonly Moment[], traffic = false): string[][] {
  let before: Watching[] = [];
  return moments.map(({ at = 0, connected, ...fields }) => {
    const look = { session: { ...SESSION, ...fields }, connectTimestamp: connected, at: at * 1_000 };
    const now = [watching(before[0], look, { traffic, idleMs: 90_000 })];
    const changes = sessionChanges(before, now).map((change) => change.words);
    before = now;
    return changes;
  });
}

function words(before: Partial<Session>, now: Partial<Session>, traffic = false): string[] {
  return told([before, now], traffic)[1] ?? [];
}

describe("fix watch: what is worth a line", () => {
  it.each([
    [
      "a loss",
      {},
      { status: "Disconnected", remoteIp: null, remotePort: null },
      ["status Connected -> Disconnected, peer 10.1.1.1:4000 -> none, losses 1"],
    ],
    ["a new connection of the same peer", {}, { remotePort: 4001 }, ["peer 10.1.1.1:4000 -> 10.1.1.1:4001, losses 1"]],
    ["sequence numbers that continue", {}, { inboundSequence: 11, outboundSequence: 25 }, []],
    ["a reset", {}, { inboundSequence: 1, outboundSequence: 21 }, ["inbound 10 -> 1, outbound 20 -> 21, resets 1"]],
  ] as const)("prints %s", (_, before, now, expected) => {
    expect(words(before, now)).toEqual(expected);
  });

  it("prints every sequence number that moved with traffic", () => {
    expect(words({}, { inboundSequence: 11, outboundSequence: 25 }, true)).toEqual([
      "inbound 10 -> 11, outbound 20 -> 25",
    ]);
  });

  it("counts lost connections and resets since it began", () => {
    const lost = { status: "Disconnected", remoteIp: null, remotePort: null } as const;
    const back = { inboundSequence: 1, outboundSequence: 1 };
    expect(told([{}, lost, back, { ...lost, ...back }, { ...back, outboundSequence: 0 }]).slice(1)).toEqual([
      ["status Connected -> Disconnected, peer 10.1.1.1:4000 -> none, losses 1"],
      ["status Disconnected -> Connected, peer 10.1.1.1:4000, inbound 10 -> 1, outbound 20 -> 1, resets 1"],
      ["status Connected -> Disconnected, peer 10.1.1.1:4000 -> none, losses 1 -> 2"],
      ["status Disconnected -> Connected, peer 10.1.1.1:4000, outbound 1 -> 0, resets 1 -> 2"],
    ]);
  });

  it("prints a reset with the number that was reached before it", () => {
    expect(told([{}, { inboundSequence: 500 }, { inboundSequence: 1 }, { inboundSequence: 7 }]).slice(1)).toEqual([
      [],
      ["inbound 500 -> 1, resets 1"],
      [],
    ]);
  });

  it("tells a new connection from the same port by its time, also when that was not read in between", () => {
    expect(told([{ connected: 1_000 }, {}, { connected: 2_000 }, { connected: 2_000 }]).slice(1)).toEqual([
      [],
      ["reconnected 1970-01-01T00:00:02.000Z, losses 1"],
      [],
    ]);
  });

  it("does not tell a connection twice whose port or status had changed before its time was read", () => {
    expect(told([{ connected: 1_000 }, { remotePort: 4001 }, { remotePort: 4001, connected: 2_000 }]).slice(1)).toEqual(
      [["peer 10.1.1.1:4000 -> 10.1.1.1:4001, losses 1"], []],
    );
  });

  it("tells of a connected session that sends nothing, ever more rarely, and when it sends again", () => {
    const silent = [0, 89, 90, 179, 180, 200].map((at) => ({ at }));
    expect(told([...silent, { at: 201, inboundSequence: 11 }, { at: 220, inboundSequence: 11 }]).slice(1)).toEqual([
      [],
      ["idle 90s"],
      [],
      ["idle 90s -> 180s"],
      [],
      ["idle 180s -> none"],
      [],
    ]);
  });

  it("does not call a session idle that is not connected, nor one that has just connected", () => {
    const lost = { status: "Disconnected", remoteIp: null, remotePort: null } as const;
    const changes = told([lost, { ...lost, at: 500 }, { at: 501 }, { at: 560 }]);
    expect(changes.flat().filter((line) => line.includes("idle"))).toEqual([]);
  });

  it("prints sessions that come and go, and how many there are", () => {
    const other = { ...SESSION, sessionId: "B", status: "Disabled" as const };
    const attention = { traffic: false, idleMs: 90_000 };
    const [before, now] = [SESSION, other].map((session) => [
      watching(undefined, { session, connectTimestamp: undefined, at: 0 }, attention),
    ]);
    expect(sessionChanges(before ?? [], now ?? []).map(({ about, words: said }) => `${about} ${said}`)).toEqual([
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
