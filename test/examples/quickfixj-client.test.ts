import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startTestRig } from "../../src/testing/rig.ts";
import { JavaProgram } from "../support/java-program.ts";
import { quickFixClient } from "../support/quickfixj.ts";

const SESSION = { gateway: "OE1", session: "FIXCLIENT1" };

let program: readonly string[];

beforeAll(async () => {
  program = await quickFixClient();
  // Maven fetches some twenty megabytes the first time.
}, 600_000);

/** A QuickFIX/J initiator that comes back each second. */
function javaClient(port: number): JavaProgram {
  const client = new JavaProgram([...program, String(port), "FIXCLIENT1"]);
  onTestFinished(() => client.close());
  return client;
}

test("D-ENG 35: a QuickFIX/J client is filled, halted, cancelled, logged out, refused and let in again, with equal numbers at both ends", async () => {
  const rig = await startTestRig();
  onTestFinished(() => rig.close());
  const api = rig.as("operator");
  const client = javaClient(await rig.fixPort());
  await client.prints(/^logged on$/);
  client.say("A");
  await client.prints(/^< .*\|35=8\|.*\|11=A\|.*\|150=0\|/);
  const [order] = rig.engine.workingOrders();
  rig.engine.fillOrder(order?.id ?? "", "40", "189.5");
  await client.prints(/^< .*\|35=8\|.*\|150=F\|/);

  await api.haltTrading({ reason: "drill", cancelOrders: true });
  rig.clock.advance(5);
  await client.prints(/^< .*\|11=A\|.*\|39=4\|.*\|150=4\|/);
  client.say("B");
  await client.prints(/^< .*\|39=8\|.*\|58=5000 TRADING_IS_HALTED: trading is halted system-wide: drill\|.*\|150=8\|/);

  expect(await api.disableFixSession(SESSION)).toMatchObject({ status: "Disabled" });
  await client.prints(/^< .*\|35=5\|.*\|58=The session is disabled\|/);
  await client.prints(/^logged out$/);
  await client.prints(/^< .*\|35=5\|.*\|58=The session is disabled\|/);
  await api.enableFixSession(SESSION);
  await client.prints(/^logged on$/);
  // It has replied to the Logout of each refused logon; these numbers are asked for again.
  await client.prints(/^> .*\|35=4\|.*\|123=Y\|/);
  client.say("test");
  await client.prints(/^< .*\|35=0\|.*\|112=TEST\|/);
  const { inboundSequence, outboundSequence } = await api.getFixSession(SESSION);
  expect(await client.numbers()).toEqual([inboundSequence, outboundSequence]);
});
