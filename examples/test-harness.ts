// A test harness without sockets: a whole installation in this process, its clock held by the test.
//
//   node examples/test-harness.ts
//
// Exits with another code than 0 when something is not as it should be. Needs a build of the package and Node 22.18 or
// later; for Node 20 compile it first.
import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AdminError, type AuditRecord, principal } from "trading-admin-api";
import type { OrderRequest } from "trading-admin-api/engine";
import { startTestRig, type TestRig } from "trading-admin-api/testing";

const ORDER: OrderRequest = {
  symbol: "AAPL",
  side: "Buy",
  size: "100",
  attributes: { Source: "FIXCLIENT1", Account: "GOLD", Trader: "asmith", Destination: "SIM" },
};

const alice = principal("alice", ["HALT_RESUME_TRADING"]);

async function haltAndResume({ api, engine, clock }: TestRig): Promise<void> {
  const trading = api.as(alice);
  assert.equal(engine.submitOrder(ORDER).accepted, true);

  await trading.haltTrading({ reason: "drill", cancelOrders: true });
  assert.equal((await trading.getTradingStatus()).halted, false, "accepted, but not yet applied");
  clock.advance(1_000);
  assert.deepEqual(await trading.getTradingStatus(), { projectionPath: "", halted: true, reason: "drill" });
  assert.deepEqual(engine.workingOrders(), []);
  console.log("ok: a halt is confirmed by the status, and working orders are cancelled");

  const refused = engine.submitOrder(ORDER);
  assert.match(refused.accepted ? "accepted" : refused.reason, /TRADING_IS_HALTED.*drill/);
  console.log("ok: a halted engine refuses orders");

  await trading.resumeTrading();
  clock.advance(1_000);
  assert.equal(engine.submitOrder(ORDER).accepted, true);
  console.log("ok: a resumed engine accepts them again");
}

async function permissions({ api, audit }: TestRig): Promise<void> {
  const denied = await failure(api.as(principal("viewer")).haltTrading());
  assert.deepEqual([denied.code, denied.status], ["PERMISSION_DENIED", 403]);
  assert.deepEqual([audit.records.at(-1)?.user, audit.stages.at(-1)], ["viewer", "denied"]);
  console.log("ok: without the permission nothing is halted, and the attempt is recorded");
}

async function unknownOutcome({ api, audit, clock, gate }: TestRig): Promise<void> {
  const trading = api.as(alice);
  const late = new Promise<AuditRecord>((resolve) => api.on("lateReply", resolve));
  const before = gate.seen.length;
  gate.hold();
  const failed = failure(trading.haltTrading({ reason: "too late" }));
  await until(() => gate.seen.length > before);
  clock.advance(10_000);
  const error = await failed;
  assert.deepEqual([error.code, error.status, error.outcome], ["ENGINE_TIMEOUT", 504, "unknown"]);
  console.log("ok: an engine that hangs gives 504 after 10 seconds, and the outcome is unknown");

  gate.release();
  // A stop is carried out however late it comes.
  assert.equal((await late).stage, "applied late");
  assert.deepEqual(audit.stages.slice(-3), ["intent", "unknown", "applied late"]);
  clock.advance(1_000);
  assert.equal((await trading.getTradingStatus()).halted, true);
  console.log("ok: its late reply says what happened to the halt, and the status agrees");
}

/** The error of a call that has to fail. */
async function failure(call: Promise<unknown>): Promise<AdminError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AdminError, "the call should have failed");
  return error;
}

/** Lets the program run until `condition` holds, but not for ever. */
async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition() && turns < 1_000; turns += 1) await nextTurn();
  assert.ok(condition(), "no request reached the engine");
}

const rig = await startTestRig();
await haltAndResume(rig);
await permissions(rig);
await unknownOutcome(rig);
await rig.close();
