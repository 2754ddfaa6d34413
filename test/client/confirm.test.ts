import { describe, expect, it } from "vitest";
import {
  confirmHalted,
  confirmResumed,
  confirmServiceDisabled,
  confirmServiceEnabled,
  confirmSessionDisabled,
  confirmSessionDisconnected,
  confirmSessionEnabled,
} from "../../src/client/confirm.ts";
import { NotConfirmedError } from "../../src/client/confirmation.ts";
import { DeniedError, OutcomeUnknownError, ReadFailedError } from "../../src/client/errors.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { reached, settle } from "../requirements/support/responses.ts";
import { clientAt, clientOf, failureOf, withWorld } from "./calls.ts";
import { FIVE_READS } from "./hasty-clock.ts";
import { json, ScriptedServer } from "./scripted-server.ts";

const GOLD = "Account[GOLD]";
const STATUS = { projectionPath: "", halted: false, reason: null };
const SESSION = { gateway: "OE1", session: "FIXCLIENT1" };
const OFTEN = { intervalMs: 5 };

/** The error of a confirmation that did not come. */
async function unconfirmed(waiting: Promise<unknown>): Promise<NotConfirmedError> {
  const error: unknown = await waiting.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NotConfirmedError);
  return error as NotConfirmedError;
}

describe("States and transitions: a halt is applied asynchronously; confirm with the status read", () => {
  it("waits until the engine shows the halt, at the path that was given", () =>
    withWorld(async (world, client) => {
      await client.haltTrading({ projectionPath: GOLD, reason: "drill" });
      let confirmedYet = false;
      const waiting = confirmHalted(client, GOLD, OFTEN).finally(() => {
        confirmedYet = true;
      });
      await reached(world, 5);
      expect(confirmedYet).toBe(false);
      settle(world);
      expect(await waiting).toEqual({ projectionPath: GOLD, halted: true, reason: "drill" });
      expect(await confirmResumed(client, "", OFTEN)).toMatchObject({ projectionPath: "", halted: false });
    }));

  it("waits for a resumption, system-wide unless a path is given", () =>
    withWorld(async (world, client) => {
      await client.haltTrading();
      settle(world);
      expect(await confirmHalted(client)).toMatchObject({ projectionPath: "", halted: true });
      await client.resumeTrading();
      const { message, lastSeen } = await unconfirmed(confirmResumed(client, "", FIVE_READS));
      expect(lastSeen).toEqual({ projectionPath: "", halted: true, reason: "Trading halted" });
      expect(message).toBe(
        'not confirmed within 1000000 ms: trading is not halted system-wide; last seen: {"projectionPath":"","halted":true,"reason":"Trading halted"}',
      );
      settle(world);
      expect(await confirmResumed(client)).toMatchObject({ halted: false });
    }));

  it("waits for services", () =>
    withWorld(async (world, client) => {
      await client.disableService({ name: "TWAP" });
      settle(world);
      expect(await confirmServiceDisabled(client, "TWAP", OFTEN)).toMatchObject({ name: "TWAP", enabled: false });
      expect((await unconfirmed(confirmServiceEnabled(client, "TWAP", FIVE_READS))).message).toContain(
        'service "TWAP" is enabled; last seen',
      );
      await client.enableService({ name: "TWAP" });
      settle(world);
      expect(await confirmServiceEnabled(client, "TWAP", OFTEN)).toMatchObject({ enabled: true });
      expect((await unconfirmed(confirmServiceDisabled(client, "TWAP", FIVE_READS))).message).toContain("is disabled");
    }));

  it("waits for FIX sessions that are disabled and enabled", () =>
    withWorld(async (_, client) => {
      await client.disableFixSession(SESSION);
      expect(await confirmSessionDisabled(client, SESSION, OFTEN)).toMatchObject({ status: "Disabled" });
      expect((await unconfirmed(confirmSessionEnabled(client, SESSION, FIVE_READS))).lastSeen).toMatchObject({
        status: "Disabled",
      });
      await client.enableFixSession(SESSION);
      expect(await confirmSessionEnabled(client, SESSION, OFTEN)).toMatchObject({ sessionId: "FIXCLIENT1" });
      await unconfirmed(confirmSessionDisabled(client, SESSION, FIVE_READS));
    }));

  it("waits until the connection of a FIX session is gone, also when the counterparty is back immediately", () =>
    withWorld(async (world, client) => {
      const before = await client.getFixSession(SESSION);
      expect(before.status).toBe("Connected");
      const { message } = await unconfirmed(confirmSessionDisconnected(client, before, FIVE_READS));
      expect(message).toContain('FIX session "FIXCLIENT1" of gateway "OE1" has lost its connection');
      await client.disconnectFixSession(SESSION);
      expect(await confirmSessionDisconnected(client, before, OFTEN)).toMatchObject({ status: "Disconnected" });
      world.clock.advance(1);
      world.engine.logonFixSession(SESSION);
      const again = await client.getFixSession(SESSION);
      expect(again.status).toBe("Connected");
      expect(await confirmSessionDisconnected(client, before, OFTEN)).toEqual(again);
    }));
});

describe("after an OutcomeUnknownError a confirmation finds out what is the case (convention 7)", () => {
  it.each([
    ["was applied late", true],
    ["was not applied", false],
  ])("when the halt %s", (_, applied) =>
    withWorld(async (world, client) => {
      world.gate.hold();
      const halting = failureOf(client.haltTrading({ projectionPath: GOLD }));
      await reached(world, 1);
      world.clock.advance(10_000);
      expect(await halting).toBeInstanceOf(OutcomeUnknownError);
      const halt = { projectionPath: GOLD, reason: "drill", cancelOrders: false };
      world.gate.replyWith(() =>
        applied
          ? { ok: true, result: world.engine.haltTrading(halt) }
          : { ok: false, refusal: "unavailable", message: "lost" },
      );
      world.gate.release();
      await world.allAnswered();
      world.gate.replyWith(undefined);
      settle(world);
      const confirming = confirmHalted(client, GOLD, FIVE_READS);
      if (applied) expect(await confirming).toMatchObject({ halted: true });
      else expect((await unconfirmed(confirming)).lastSeen).toMatchObject({ halted: false });
    }),
  );

  it("when the engine is unavailable for a while", () =>
    withWorld(async (world, client) => {
      await client.haltTrading();
      settle(world);
      world.bus.detach();
      const waiting = confirmHalted(client, "", OFTEN);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await serveEngine(world.engine, world.gate, world.clock);
      expect(await waiting).toMatchObject({ halted: true });
    }));

  it("unless the engine stays away: not confirmed, nothing seen, and the failure of the read is the cause", () =>
    withWorld(async (world, client) => {
      world.bus.detach();
      const { message, lastSeen, cause } = await unconfirmed(confirmHalted(client, GOLD, FIVE_READS));
      expect(lastSeen).toBeUndefined();
      expect(message).toBe(`not confirmed within 1000000 ms: trading is halted at ${GOLD}; no read succeeded`);
      expect(cause).toBeInstanceOf(ReadFailedError);
      expect(cause).toMatchObject({ status: 503 });
      await serveEngine(world.engine, world.gate, world.clock);
    }));

  it("and fails immediately where no waiting helps", () =>
    withWorld(async (world, client) => {
      const forever = { timeoutMs: 600_000 };
      const unknown = await failureOf(confirmServiceDisabled(client, "NO/SUCH", forever));
      expect(unknown).toMatchObject({ status: 404, operation: "getService" });
      const stranger = clientOf(world, "nobody");
      expect(await failureOf(confirmHalted(stranger, "", forever))).toBeInstanceOf(DeniedError);
      expect(await failureOf(confirmHalted(client, "Accounts[X]", forever))).toMatchObject({ status: 400 });
    }));

  it("and a caller who aborts gets what was seen, with their reason as cause", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const server = await ScriptedServer.start((response) => json(response, 200, STATUS));
    const waiting = confirmHalted(clientAt(server.origin), "", { signal: controller.signal, intervalMs: 5 });
    await expect.poll(() => server.requests.length).toBeGreaterThan(1);
    controller.abort(reason);
    expect(await unconfirmed(waiting)).toMatchObject({ cause: reason, lastSeen: STATUS });
  });

  it("and a read that hangs does not outlast the time", async () => {
    const server = await ScriptedServer.start(() => {});
    expect((await unconfirmed(confirmHalted(clientAt(server.origin), "", { timeoutMs: 500 }))).message).toContain(
      "no read succeeded",
    );
  });
});
