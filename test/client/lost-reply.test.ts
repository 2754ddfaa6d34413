import { describe, expect, it } from "vitest";
import type { AdminClient } from "../../src/client/client.ts";
import { confirmApplied, confirmHalted, confirmSessionDisconnected } from "../../src/client/confirm.ts";
import { NotConfirmedError } from "../../src/client/confirmation.ts";
import { OutcomeUnknownError } from "../../src/client/errors.ts";
import { type ConfirmedOperation, hasChangedAsRequested, readBefore } from "../../src/client/shown.ts";
import type { Output } from "../../src/core/operations/table.ts";
import { reached, settle } from "../requirements/support/responses.ts";
import { failureOf, withWorld } from "./calls.ts";
import { FIVE_READS } from "./hasty-clock.ts";

/** For engines that reply in no time. */
const SHORT = { intervalMs: 5, timeoutMs: 200 };

function status(halted: boolean, reason: string | null): Output<"getTradingStatus"> {
  return { projectionPath: "", halted, reason };
}

function session(state: string, connectTimestamp: number | null): object {
  return { gatewayName: "OE1", sessionId: "S", status: state, connectTimestamp };
}

/** What confirming a halt rejects with, in words. */
async function unconfirmed(waiting: Promise<unknown>): Promise<string> {
  const error: unknown = await waiting.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NotConfirmedError);
  return (error as NotConfirmedError).message;
}

describe("D-CLI 3: a command without a response is proven only by a state that has changed as asked", () => {
  it.each<[what: string, operation: ConfirmedOperation, input: object, before: unknown, now: unknown, proven: boolean]>(
    [
      ["a halt of what was not halted", "haltTrading", {}, status(false, null), status(true, "x"), true],
      ["a halt of what was halted", "haltTrading", {}, status(true, "A"), status(true, "A"), false],
      ["a halt for another reason", "haltTrading", { reason: "B" }, status(true, "A"), status(true, "B"), true],
      ["a halt for the same reason", "haltTrading", { reason: "A" }, status(true, "A"), status(true, "A"), false],
      [
        "a halt where that of somebody else shows",
        "haltTrading",
        { reason: "B" },
        status(false, null),
        status(true, "A"),
        false,
      ],
      ["a halt whose state before is not known", "haltTrading", {}, undefined, status(true, "Trading halted"), false],
      ["a resumption", "resumeTrading", { reason: "r" }, status(true, "A"), status(false, "r"), true],
      ["a resumption of what ran", "resumeTrading", {}, status(false, "r"), status(false, "r"), false],
      ["a resumption by somebody else", "resumeTrading", { reason: "r" }, status(true, "A"), status(false, "s"), false],
      ["a service that was enabled", "disableService", {}, { enabled: true }, { enabled: false }, true],
      ["a service that was disabled", "disableService", {}, { enabled: false }, { enabled: false }, false],
      ["a service that is enabled already", "enableService", {}, { enabled: true }, { enabled: true }, false],
      ["a session that was disabled", "disableFixSession", {}, session("Disabled", 1), session("Disabled", 1), false],
      ["a session that was connected", "disableFixSession", {}, session("Connected", 1), session("Disabled", 1), true],
      [
        "a session that may log on already",
        "enableFixSession",
        {},
        session("Disconnected", 1),
        session("Connected", 2),
        false,
      ],
      [
        "a connection that is gone",
        "disconnectFixSession",
        {},
        session("Connected", 1),
        session("Disconnected", 1),
        true,
      ],
      [
        "a connection of another time",
        "disconnectFixSession",
        {},
        session("Connected", 1),
        session("Connected", 2),
        true,
      ],
      [
        "a session that had no connection",
        "disconnectFixSession",
        {},
        session("Disconnected", 1),
        session("Disconnected", 1),
        false,
      ],
      [
        "a connection that is still there",
        "disconnectFixSession",
        {},
        session("Connected", 1),
        session("Connected", 1),
        false,
      ],
    ],
  )("%s", (_, operation, input, before, now, proven) => {
    expect(hasChangedAsRequested(operation, { ...input }, before, now)).toBe(proven);
  });

  it("confirmHalted after an OutcomeUnknownError: a halt that never arrived is not confirmed by the one before", () =>
    withWorld(async (world, client) => {
      await client.haltTrading({ reason: "A" });
      settle(world);
      const before = await client.getTradingStatus();
      world.gate.hold();
      const halting = failureOf(client.haltTrading({ reason: "B" }));
      await reached(world, 3);
      world.clock.advance(10_000);
      expect(await halting).toBeInstanceOf(OutcomeUnknownError);
      world.gate.replyWith(() => ({ ok: false, refusal: "unavailable", message: "lost" }));
      world.gate.release();
      await world.allAnswered();
      world.gate.replyWith(undefined);
      settle(world);
      const lost = { ...FIVE_READS, before, isReplyLost: true };
      expect(await unconfirmed(confirmHalted(client, "", { ...lost, reason: "B" }))).toContain(
        'trading is halted system-wide, and was not before; last seen: {"projectionPath":"","halted":true,"reason":"A"}',
      );
      expect(await unconfirmed(confirmHalted(client, "", { ...lost, before: undefined }))).toContain(
        "the state before was not read, so that this proves nothing",
      );
      // Without that it says what is the case.
      expect(await confirmHalted(client, "", FIVE_READS)).toMatchObject({ halted: true, reason: "A" });
    }));

  it("confirmSessionDisconnected after an OutcomeUnknownError: a session that had no connection proves nothing", () =>
    withWorld(async (_, client) => {
      const key = { gateway: "OE1", session: "FIXCLIENT1" };
      await client.disconnectFixSession(key);
      const before = await client.getFixSession(key);
      const lost = { ...FIVE_READS, isReplyLost: true };
      expect(await unconfirmed(confirmSessionDisconnected(client, before, lost))).toContain("and was not before");
      expect(await confirmSessionDisconnected(client, before, FIVE_READS)).toEqual(before);
    }));
});

describe("D-CLI 19: a halt that requested cancels is confirmed by open sizes", () => {
  const position = (openBuySize: string): Output<"listPositions">[number] => ({
    ...{ projection: "Account[A]/Symbol[X]", size: "1", averageCost: null, realizedPnL: null, unrealizedPnL: null },
    ...{ marketValue: null, totalCommission: null, openBuySize, openSellSize: "0" },
  });
  const engine = (openBuySize: string): Pick<AdminClient, "getTradingStatus" | "listPositions"> => ({
    getTradingStatus: async () => status(true, "A"),
    listPositions: async () => [position(openBuySize)],
  });

  it("confirmHalted and confirmApplied resolve when no order is open, and else name what is", async () => {
    const halt = { projectionPath: "", cancelOrders: true };
    expect(await confirmHalted(engine("0"), "", { ...SHORT, cancelOrders: true })).toEqual(status(true, "A"));
    expect(await confirmApplied(engine("0"), "haltTrading", halt, SHORT)).toEqual(status(true, "A"));
    const words = "trading is halted system-wide, but open orders stay, open: 500 at Account[A]/Symbol[X]";
    expect(await unconfirmed(confirmHalted(engine("500"), "", { ...SHORT, cancelOrders: true }))).toBe(words);
    expect(await unconfirmed(confirmApplied(engine("500"), "haltTrading", halt, SHORT))).toBe(words);
    expect(await confirmHalted(engine("500"), "", SHORT)).toEqual(status(true, "A"));
  });
});

describe("D-CLI 3: the state before a command", () => {
  it("is not waited for by a stop, but by a disconnection, which only a change of the state shows", async () => {
    let answer: (state: object) => void = () => {};
    const state = new Promise((resolve) => {
      answer = resolve;
    });
    const client = {
      getTradingStatus: () => state,
      getFixSession: () => state,
    } as unknown as AdminClient;
    await readBefore(client, "haltTrading", {});
    let isReady = false;
    const ready = readBefore(client, "disconnectFixSession", {}).then(() => {
      isReady = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isReady).toBe(false);
    answer({ status: "Connected" });
    await ready;
  });
});
