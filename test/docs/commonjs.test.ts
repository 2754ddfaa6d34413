import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { openWebSocketBus } from "../../transports/websocket.ts";
import { requireBuild } from "../package/build.ts";
import { openConsumer } from "../package/consumer.ts";
import { readText } from "./bus-files.ts";

const ASK = `
const { serve } = require("./host.cjs");
serve(0).then(async (server) => {
  await new Promise((resolve) => server.once("listening", resolve));
  const headers = { authorization: "Basic " + Buffer.from("mia:secret of mia").toString("base64") };
  const url = "http://127.0.0.1:" + server.address().port + "/api/admin/v1/trading/status";
  let response;
  do response = await fetch(url, { headers });
  while (response.status === 503);
  console.log(response.status, await response.text());
  process.exit();
});
`;

it("docs/embed: the CommonJS program serves the API from the packed build", async () => {
  requireBuild();
  const [bus, consumer] = [await openWebSocketBus({ host: "127.0.0.1", port: 0 }), openConsumer()];
  onTestFinished(async () => {
    consumer.close();
    await bus.close();
  });
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), bus);
  const namespace = 'xmlns="http://xml.deltixlab.com/internal/quantserver/3.0"';
  const users = '<users><user id="mia"><password>secret of mia</password></user></users>';
  mkdirSync(join(consumer.folder, "config"));
  writeFileSync(join(consumer.folder, "config/uac-file-security.xml"), `<config ${namespace}>${users}</config>`);
  writeFileSync(join(consumer.folder, "config/uac-access-rules.xml"), `<rules ${namespace}/>`);
  consumer.write(
    "host.cjs",
    readText("test/docs/snippets/host.cjs").replace("process.env.ENGINE_URL", JSON.stringify(bus.url)),
  );
  const { code, stdout } = await consumer.node(consumer.write("ask.cjs", ASK));
  expect({ code, stdout }).toEqual({ code: 0, stdout: '200 {"projectionPath":"","halted":false,"reason":null}\n' });
});
