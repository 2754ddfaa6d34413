import type { OperationName } from "../../../src/core/operations/table.ts";
import type { Answer, World } from "../../support/world.ts";
import { clockIsKnown, loseLink, MESSAGES, withFailingEngine, withFullBus, withoutEngine } from "./faults.ts";
import { submit, trade } from "./orders.ts";
import { reached } from "./responses.ts";

/** What is wrong with the engine or the bus while a call is made. */
type Fault = "full bus" | "failing engine" | "garbled answer" | "no engine" | "hanging engine" | "lost link";

/** One step of the script that all ways to call the API play. */
export interface Step {
  readonly name: OperationName;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly user?: string;
  readonly fault?: Fault;
  /** What happens in the engine before the call. */
  readonly before?: (world: World) => void;
}

const GOLD = "Account[GOLD]/Symbol[AAPL]";
const OE1 = { gateway: "OE1" };
const CLIENT = { gateway: "OE1", session: "FIXCLIENT1" };
const settle = (world: World): void => world.clock.advance(5);
const wide = { type: "UPDATE", conditions: { Symbol: "ÜBER/ALLES", Account: "*" }, limits: { MaxOrderSize: "1e3" } };
const row = { ...wide, limits: { MaxOrderSize: "0000.5000", MaxPositionLong: null } };

/** Every operation with success and every kind of error, each call seeing what the ones before it did. */
export const SCRIPT: readonly Step[] = [
  { name: "getTradingStatus" },
  { name: "getTradingStatus", input: { projectionPath: "Symbol[EUR/USD]" } },
  { name: "haltTrading", input: { projectionPath: "Symbol[EUR/USD]", reason: 'say "ä\u2028☂"\n', cancelOrders: true } },
  { name: "getTradingStatus", input: { projectionPath: "Symbol[EUR/USD]" } },
  { name: "getTradingStatus", input: { projectionPath: "Symbol[EUR/USD]" }, before: settle, user: "viewer" },
  { name: "haltTrading", input: { reason: null } },
  { name: "getTradingStatus", before: settle },
  { name: "resumeTrading" },
  { name: "getTradingStatus", before: settle },
  { name: "getTradingStatus", input: { projectionPath: "Symbol[" } },
  { name: "haltTrading", input: { reason: 1, cancelOrders: "no", projectionPath: "X[1]", extra: 1 } },
  { name: "haltTrading", user: "viewer" },
  { name: "resumeTrading", user: "only-change_risk_limits", input: { reason: 1 } },
  { name: "resumeTrading", input: { projectionPath: "Account[A]/Account[B]" } },
  { name: "getRiskTable" },
  { name: "getRiskTable", input: { projection: "Account/Symbol" } },
  { name: "getRiskTable", input: { projection: "Symbol" } },
  { name: "getRiskTable", input: { projection: "Symbol/Colour" } },
  { name: "updateRiskTable", input: { projection: "Account/Symbol", commands: [wide] } },
  { name: "updateRiskTable", input: { projection: "Account/Symbol", commands: [row] } },
  { name: "getRiskTable", input: { projection: "Account/Symbol" } },
  { name: "updateRiskTable", input: { projection: "Account/Symbol", commands: [{ ...row, type: "INSERT" }] } },
  { name: "updateRiskTable", input: { projection: "Source", commands: [row, { type: "DROP" }, null] } },
  { name: "updateRiskTable", input: { projection: "", commands: [] } },
  { name: "updateRiskTable" },
  { name: "updateRiskTable", user: "only-position_adjustment" },
  { name: "listPositions", input: { projection: "Account/Symbol" } },
  { name: "listPositions", input: { projection: "Account/Symbol" }, before: (world) => trade(world, "190.25") },
  {
    name: "listPositions",
    input: { projection: "Source/Account/Symbol", symbol: "AAPL" },
    before: (w) => void submit(w),
  },
  { name: "listPositions", input: { projection: "Account/Currency", symbol: "USD" } },
  { name: "listPositions", input: { projection: "Account/Symbol", trader: "asmith", source: 1 } },
  { name: "listPositions", input: { projection: "Account/Symbol", traderId: "asmith" } },
  { name: "listPositions", input: { projection: "Trader" } },
  { name: "listPositions" },
  { name: "adjustPosition", input: { projectionPath: GOLD, size: "-00012.3400", relative: true } },
  { name: "listPositions", input: { projection: "Account/Symbol", account: "GOLD" }, user: "viewer" },
  { name: "adjustPosition", input: { projectionPath: GOLD, size: "5", averageCost: "NaN", realizedPnL: "NaN" } },
  { name: "listPositions", input: { projection: "Account/Symbol", account: "GOLD" } },
  { name: "adjustPosition", input: { projectionPath: GOLD, size: "NaN", relative: 1 } },
  { name: "adjustPosition", input: { projectionPath: "", size: "1" } },
  { name: "adjustPosition", input: { projectionPath: "Account[GOLD]/Currency[USD]", size: "1", averageCost: "2" } },
  { name: "adjustPosition", user: "viewer" },
  { name: "listServices" },
  { name: "disableService", input: { name: "TWAP" } },
  { name: "getService", input: { name: "TWAP" } },
  { name: "enableService", input: { name: "TWAP", reason: "" } },
  { name: "getService", input: { name: "TWAP" } },
  { name: "getService", input: { name: "no/such service%2F?" } },
  { name: "disableService", input: { name: "Ä" } },
  { name: "enableService", input: { name: "TWAP", reason: false } },
  { name: "enableService", input: { name: "TWAP" }, user: "viewer" },
  { name: "listFixGateways" },
  { name: "getFixGateway", input: OE1 },
  { name: "getFixGateway", input: { gateway: "../OE1" } },
  { name: "listFixSessions", input: OE1 },
  { name: "listFixSessions", input: { gateway: "OE1/sessions" } },
  { name: "getFixSession", input: { gateway: "RFQ1", session: "EUR/USD desk" } },
  { name: "disconnectFixSession", input: CLIENT },
  { name: "disableFixSession", input: CLIENT },
  { name: "enableFixSession", input: CLIENT, before: (world) => world.clock.advance(1_234) },
  { name: "getFixSession", input: CLIENT, before: (world) => void world.engine.logonFixSession(CLIENT) },
  { name: "getFixGateway", input: OE1 },
  { name: "disableFixSession", input: { gateway: "OE1", session: "none" } },
  { name: "enableFixSession", input: { ...CLIENT, reason: "x" } },
  { name: "disconnectFixSession", input: CLIENT, user: "viewer" },
  { name: "getFixSession", input: CLIENT, fault: "full bus" },
  { name: "haltTrading", fault: "full bus" },
  { name: "listServices", fault: "failing engine" },
  { name: "updateRiskTable", input: { projection: "Account/Symbol", commands: [row] }, fault: "failing engine" },
  { name: "listFixGateways", fault: "garbled answer" },
  { name: "adjustPosition", input: { projectionPath: GOLD, size: "1" }, fault: "garbled answer" },
  { name: "getRiskTable", fault: "no engine" },
  { name: "enableService", input: { name: "TWAP" }, fault: "no engine" },
  { name: "getTradingStatus", fault: "hanging engine" },
  { name: "resumeTrading", fault: "hanging engine" },
  { name: "getTradingStatus", fault: "lost link" },
  { name: "disableFixSession", input: CLIENT, fault: "lost link" },
  { name: "getTradingStatus", before: settle },
  { name: "getFixSession", input: CLIENT },
];

/** Plays the script; the responses in its order. */
export async function play(world: World): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const step of SCRIPT) {
    step.before?.(world);
    answers.push(await callUnder(world, step));
  }
  return answers;
}

async function callUnder(world: World, { name, input = {}, user = "chief", fault }: Step): Promise<Answer> {
  let answer: Answer | undefined;
  const call = async (): Promise<void> => {
    answer = await world.call(name, input, user);
  };
  await under(world, fault, call);
  if (!answer) throw new Error(`${name} was not called`);
  return answer;
}

async function under(world: World, fault: Fault | undefined, call: () => Promise<void>): Promise<void> {
  if (fault === "full bus") return withFullBus(world, call);
  if (fault === "failing engine") return withFailingEngine(world, MESSAGES.failed, call);
  if (fault === "no engine") return withoutEngine(world, call);
  if (fault === "hanging engine" || fault === "lost link") return whileHanging(world, fault, call);
  if (fault === "garbled answer") world.gate.replyWith(() => ({ ok: true, result: { unexpected: true } }));
  await call();
  world.gate.replyWith(undefined);
}

async function whileHanging(world: World, fault: Fault, call: () => Promise<void>): Promise<void> {
  await clockIsKnown(world);
  const seen = world.gate.seen.length;
  world.gate.hold();
  const calling = call();
  await reached(world, seen + 1);
  if (fault === "lost link") await loseLink(world, calling);
  else world.clock.advance(10_000);
  await calling;
  world.gate.release();
}
