// The API and an engine in one process, without a server or a file: halts all trading, and shows it.
import { AdminApi, principal } from "trading-admin-api";
import { EngineRejection, serveEngine } from "trading-admin-api/engine";
import { InProcessBus } from "trading-admin-api/transports/in-process";

let state = { halted: false, reason: null };

function checkPath({ projectionPath }) {
  if (projectionPath !== "") throw new EngineRejection("rejected", "only all trading can be halted");
}

const engine = {
  getTradingStatus(input) {
    checkPath(input);
    return { projectionPath: "", ...state };
  },
  haltTrading(input) {
    checkPath(input);
    state = { halted: true, reason: input.reason };
    return null;
  },
  resumeTrading(input) {
    checkPath(input);
    state = { halted: false, reason: input.reason };
    return null;
  },
};

const bus = new InProcessBus();
await serveEngine(engine, bus);
const audit = { write: ({ stage, user, operation }) => console.log(stage, user, operation) };
const api = new AdminApi({ transport: bus, audit });
await api.start();

const monitor = api.as(principal("risk-monitor", ["HALT_RESUME_TRADING"]));
await monitor.haltTrading({ reason: "limit breach" });
console.log(JSON.stringify(await monitor.getTradingStatus()));
await api.close();
