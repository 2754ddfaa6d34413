// A gateway in your own program, and the engine in a second process, joined by a WebSocket.
//
//   npm install trading-admin-api
//   node gateway-and-engine.mjs <folder of uac-file-security.xml and uac-access-rules.xml>
//
// PORT chooses the port of the gateway.
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseInstallation, SimulatedEngine, serveEngine } from "trading-admin-api/engine";
import { openMonitorLog, parseSettings, startGateway } from "trading-admin-api/gateway";
import { openWebSocketBus } from "trading-admin-api/transports/websocket";

/** The second process. */
async function runEngine() {
  const engine = new SimulatedEngine(parseInstallation("connectors: { SIM: {} }", "gateway-and-engine.mjs"));
  const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0, token: process.env.ENGINE_TOKEN });
  await serveEngine(engine, bus);
  process.send(bus.url);
  await once(process, "disconnect");
  await bus.close();
}

async function runGateway(accessFiles) {
  const token = randomBytes(32).toString("base64url");
  const engine = fork(fileURLToPath(import.meta.url), ["engine"], { env: { ...process.env, ENGINE_TOKEN: token } });
  const [url] = await once(engine, "message");
  const yaml = `
    server.port: ${process.env.PORT ?? 8988}
    security.uac.directory: ${JSON.stringify(accessFiles)}
    admin.engine.transport: websocket
    admin.engine.url: ${url}
    admin.engine.token: ${token}
    admin.policy.two-person.operations: [resumeTrading]
  `.replaceAll(/^ +/gm, "");
  const settings = parseSettings(yaml, join(accessFiles, "application.yaml"));
  const gateway = await startGateway({ settings, log: openMonitorLog(1), environment: process.env });
  const ended = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  console.log(`listening on ${gateway.url}`);
  await ended;
  await gateway.close();
  engine.disconnect();
}

if (process.argv[2] === "engine") await runEngine();
else await runGateway(resolve(process.argv[2] ?? "."));
