import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { Gate } from "../../../src/core/load/gate.ts";
import { Framer } from "../../../src/engine/fix/framer.ts";
import { SimulatedEngine } from "../../../src/engine/simulated/simulated-engine.ts";
import { FixClient, limitOrder } from "../../support/fix-client.ts";
import { installation } from "../fixture.ts";
import { BUDGET_MS, countingClock, FIXCLIENT1, fixBench, GATEWAYS, LOOK_MS } from "./fixture.ts";

/** Looks at the clock in a turn. */
const LOOKS = BUDGET_MS / LOOK_MS;

test.each([
  ["messages", (client: FixClient) => client.send("1", [[112, "FLOOD"]])],
  ["garbled bytes", (client: FixClient) => client.sendBytes("8=FIX.4.4\x019=1\x0135=0\x01")],
])("D-ENG 38: a flood of %s takes a bounded share of each turn of the event loop", async (_, send) => {
  const clock = countingClock();
  const engine = new SimulatedEngine(installation(GATEWAYS), { clock, gate: new Gate(clock, BUDGET_MS) });
  const [port] = await engine.openFixPorts();
  const client = await FixClient.logOn(port?.port ?? 0);
  const steps = vi.spyOn(Framer.prototype, "next");
  onTestFinished(async () => {
    steps.mockRestore();
    client.close();
    await engine.closeFixPorts();
  });
  client.socket.cork();
  for (let count = 0; count < 1_000; count += 1) send(client);
  client.send("1", [[112, "LAST"]]);
  client.socket.uncork();
  let most = 0;
  for (let before = 0; client.received.at(-1)?.[112] !== "LAST"; before = steps.mock.calls.length) {
    await turn();
    most = Math.max(most, steps.mock.calls.length - before);
  }
  expect(steps.mock.calls.length).toBeGreaterThan(1_000);
  expect(most).toBeLessThan(2 * LOOKS);
});

test("D-ENG 38: a peer that does not read its replies is not read either, and gets them all when it reads again", async () => {
  const { logOn } = await fixBench();
  const client = await logOn();
  client.socket.pause();
  for (let count = 0; count < 20_000; count += 1) client.send("1", [[112, "x".repeat(100)]]);
  client.socket.resume();
  for (let count = 0; count < 20_000; count += 1) await client.expect("0");
});

test("D-ENG 38: a peer that does not read what happens to its orders is dropped, and finds it when it is back", async () => {
  const { logOn, engine } = await fixBench();
  const client = await logOn();
  client.send("D", limitOrder("A"));
  await client.expect("8");
  client.socket.pause();
  let reports = 0;
  while (engine.getFixSession(FIXCLIENT1).status === "Connected" && reports < 1_000_000) {
    for (let count = 0; count < 1_000; count += 1) engine.replaceOrder("1", { size: "100", price: "99" });
    reports += 1_000;
    await turn();
  }
  expect(engine.getFixSession(FIXCLIENT1).status).toBe("Disconnected");
  const back = await logOn("FIXCLIENT1", client.next);
  back.send("2", [
    [7, reports + 2],
    [16, 0],
  ]);
  expect(await back.expect("8")).toMatchObject({ 34: String(reports + 2), 43: "Y", 150: "5" });
});
