// The embedded engine with 10,000 positions behind handler and console, in its own process: node reads-server.mjs. Tells its
// parent where it listens, and does on request what the parent measures.
import { createServer } from "node:http";
import { AdminApi } from "trading-admin-api";
import { consolePage } from "trading-admin-api/console";
import { parseInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { adminHandler } from "trading-admin-api/node";
import { InProcessBus } from "trading-admin-api/transports/in-process";
import { openAuthenticator } from "./authenticator.mjs";

const PROJECTION = "Account/Symbol";
const ACCOUNTS = Array.from({ length: 100 }, (_, index) => `ACCOUNT${index}`);
const INSTRUMENTS = Array.from({ length: 100 }, (_, index) => ({
  symbol: `SYMBOL${index}`,
  price: (100 + index * 0.37).toFixed(2),
}));
/** How often each piece of work is repeated in one round. */
const TIMES = 20;

const installation = `
instruments:
${INSTRUMENTS.map(({ symbol, price }) => `  ${symbol}: { exchange: NASDAQ, currency: USD, price: ${price} }`).join("\n")}
accounts: [${ACCOUNTS.join(", ")}]
sources: [DESK]
commission-rate: 0.00005
positions: { projections: [${PROJECTION}, Account/Currency] }
connectors: { SIM: {} }
`;

function trade(engine, account, { symbol, price }, size) {
  const attributes = { Source: "DESK", Account: account, Destination: "SIM" };
  const { order } = engine.submitOrder({ symbol, side: "Buy", size, price, attributes });
  engine.fillOrder(order.id, size, price);
}

/** An engine with a position of each account in each instrument, its activity running. */
function startEngine() {
  const engine = new SimulatedEngine(parseInstallation(installation, "bench.yaml"));
  for (const [index, account] of ACCOUNTS.entries()) {
    for (const instrument of INSTRUMENTS) trade(engine, account, instrument, `${10 + index}`);
  }
  engine.start();
  return engine;
}

/** Milliseconds, on the clock and of processor time, that each of some repetitions took. */
async function measure(work) {
  const [began, before] = [performance.now(), process.cpuUsage()];
  for (let time = 0; time < TIMES; time += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return { clock: (performance.now() - began) / TIMES, cpu: (user + system) / 1000 / TIMES };
}

const engine = startEngine();
const bus = new InProcessBus();
await serveEngine(engine, bus);
const api = new AdminApi({ transport: bus, audit: { write() {} } });
const server = createServer(adminHandler(api, { authenticator: await openAuthenticator(), documents: consolePage() }));
const text = JSON.stringify(await engine.listPositions({ projection: PROJECTION }));

const REQUESTS = {
  cpu: async () => process.cpuUsage(),
  yardstick: () => measure(() => JSON.stringify(JSON.parse(text))),
  engine: () => measure(() => engine.listPositions({ projection: PROJECTION })),
};
process.on("message", async (request) => process.send(await REQUESTS[request]()));
process.once("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port, bytes: text.length }));
