// One server under load, in its own process: node proxy-server.mjs VARIANT [BACKEND]. Tells its parent where it listens.
import { Agent, createServer } from "node:http";
import HttpProxy from "http-proxy";
import { parseSettings, startGateway } from "trading-admin-api/gateway";

const SMALL = JSON.stringify({
  instrument: "BTC/USD",
  bid: "64123.50",
  ask: "64124.00",
  status: "Trading",
  orders: 17,
});
const LARGE = Buffer.alloc(100 * 1024, "x");

// The API is closed here, and the log would say so.
const silent = { info() {}, warn: console.error, error() {}, audit: { write() {} } };

function listen(listener) {
  return new Promise((resolve) => {
    const server = createServer(listener).listen(0, "127.0.0.1", () => resolve(server.address().port));
  });
}

const VARIANTS = {
  backend: () =>
    listen((request, response) => {
      const body = request.url === "/large" ? LARGE : SMALL;
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
      response.end(body);
    }),
  "bare http-proxy": (target) => {
    const proxy = HttpProxy.createProxyServer({ target, agent: new Agent({ keepAlive: true }) });
    return listen((request, response) => proxy.web(request, response));
  },
  gateway: async (target) => {
    const yaml = `server.port: 0\nsecurity.oauth2.authenticationType: NONE\ngateway.monitor.url: ${target}\n`;
    const settings = parseSettings(yaml, "application.yaml");
    const log = { ...silent, requests: { write() {}, flush() {} } };
    const gateway = await startGateway({ settings, log, environment: {} });
    return Number(new URL(gateway.url).port);
  },
};

const [variant, target] = process.argv.slice(2);
process.send(await VARIANTS[variant](target));
// Time of the processor that was used so far, which other work on the machine hardly changes.
process.on("message", () => process.send(process.cpuUsage()));
process.once("disconnect", () => process.exit(0));
