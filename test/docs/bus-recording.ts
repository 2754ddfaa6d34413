import type { Clock } from "../../src/core/clock.ts";
import { type BusMethod, type BusOutput, busMethods, busRecord, operations } from "../../src/core/operations/table.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { type EngineHandler, serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { encodeReply, replyBody, replyTime } from "../../transports/json-rpc/replies.ts";
import { decodeParams, encodeRequest, parseMessage, readRequest } from "../../transports/json-rpc/requests.ts";
import type { ExchangeExample } from "./bus-contract/open-rpc.ts";

const HALTED = "Account[GOLD]/Symbol[EUR/USD]";
const row = { Account: "GOLD", Symbol: "EUR/USD" };
const session = { gateway: "RFQ1", session: "EUR/USD desk" };

/** What the recorded engine is asked, in this order: each operation, so that later answers show what earlier ones did. */
const SCRIPT: readonly (readonly [BusMethod, Readonly<Record<string, unknown>>])[] = [
  ["getTradingStatus", {}],
  ["haltTrading", { cancelOrders: true }],
  ["haltTrading", { projectionPath: HALTED, reason: "Price feed stale" }],
  ["getTradingStatus", { projectionPath: HALTED }],
  ["listHalts", {}],
  ["resumeTrading", { reason: "Venue is back" }],
  ["getRiskTable", { projection: "Account/Symbol" }],
  [
    "updateRiskTable",
    {
      projection: "Account/Symbol",
      commands: [
        { type: "INSERT", conditions: row, limits: { MaxOrderSize: "250000", MaxPositionShort: null } },
        { type: "UPDATE", conditions: row, limits: { MaxPositionLong: "1000000" } },
        { type: "DELETE", conditions: { Account: "PENSION", Symbol: "AAPL" } },
      ],
    },
  ],
  ["adjustPosition", { projectionPath: HALTED, size: "-150000.25", averageCost: "1.0850", realizedPnL: "NaN" }],
  ["adjustPosition", { projectionPath: HALTED, size: "50000", relative: true }],
  ["listPositions", { projection: "Account/Symbol" }],
  ["listPositions", { projection: "Account/Symbol", account: "SILVER" }],
  ["disableService", { name: "TWAP", reason: "Parameters under review" }],
  ["enableService", { name: "XETRA1" }],
  ["getService", { name: "TWAP" }],
  ["listServices", {}],
  ["listFixGateways", {}],
  ["getFixGateway", { gateway: "RFQ1" }],
  ["listFixSessions", { gateway: "RFQ1" }],
  ["getFixSession", session],
  ["disconnectFixSession", session],
  ["disableFixSession", session],
  ["enableFixSession", session],
];

/** The script, and after it the examples of operations that it does not have. */
const REQUESTS: typeof SCRIPT = [
  ...SCRIPT,
  ...busMethods
    .filter((name) => SCRIPT.every(([asked]) => asked !== name))
    .flatMap((name) => busRecord(operations, name).examples.map(({ input }) => [name, input] as const)),
];

/** One request and its reply as they are on the wire. */
export interface RecordedExchange {
  readonly method: BusMethod;
  readonly request: string;
  readonly reply: string;
}

/** The documents do not change with each version of the package. */
class RecordedEngine extends SimulatedEngine {
  override describeEngine(): BusOutput<"describeEngine"> {
    return { ...super.describeEngine(), version: "1.0.0" };
  }
}

/** Exchanges with the simulated engine over the demo installation; the same ones in every run. */
export async function recordExchanges(): Promise<RecordedExchange[]> {
  const clock = new ManualClock();
  const engine = new RecordedEngine(await loadInstallation(sampleInstallation()), { clock });
  const handle = await handlerOf(engine, clock);
  const exchanges: RecordedExchange[] = [];
  for (const [index, [method, raw]] of REQUESTS.entries()) {
    const request = encodeRequest(index + 1, {
      method,
      input: preparedInput(method, raw),
      lane: busRecord(operations, method).lane,
      context: { user: "operator", requestId: `doc-${index + 1}`, deadline: clock.now() + 10_000, timeLeft: 10_000 },
    });
    const { id, params } = readRequest(parseMessage(request));
    const decoded = decodeParams(method, params);
    const reply = await handle(decoded);
    if (!reply.ok) throw new Error(`${method}: ${reply.message}`);
    exchanges.push({ method, request, reply: encodeReply(id, replyBody(reply), replyTime(decoded, clock)) });
    clock.advance(1000);
  }
  return exchanges;
}

/** What `serveEngine` puts on a bus. */
async function handlerOf(engine: Engine, clock: Clock): Promise<EngineHandler> {
  const handlers: EngineHandler[] = [];
  await serveEngine(engine, { listen: (handler) => void handlers.push(handler) }, clock);
  const [handler] = handlers;
  if (!handler) throw new Error("the engine did not begin to listen");
  return handler;
}

/** What a gateway sends for an input: checked, with defaults. */
function preparedInput(method: BusMethod, raw: Readonly<Record<string, unknown>>): unknown {
  const record = busRecord(operations, method);
  const input = record.input.parse(raw);
  return record.prepare?.(input).input ?? input;
}

/** The first exchange of each operation, as the document shows it. */
export function examplesOf(exchanges: readonly RecordedExchange[]): ExchangeExample[] {
  return busMethods.flatMap((name) =>
    exchanges
      .filter(({ method }) => method === name)
      .map(({ method, request, reply }) => ({
        method,
        params: JSON.parse(request).params,
        result: JSON.parse(reply).result,
      })),
  );
}
