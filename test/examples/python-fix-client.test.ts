import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startTestRig } from "../../src/testing/rig.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/fix-client.py", import.meta.url));

/** Between orders. */
const PAUSE_S = "0.05";

/** Lines that the client prints, until one matches. */
async function printed(client: ChildProcess & { lines: AsyncIterator<string> }, pattern: RegExp): Promise<string> {
  for (;;) {
    const { value, done } = await client.lines.next();
    if (done) throw new Error(`the client ended without ${pattern}`);
    if (pattern.test(value)) return value;
  }
}

function start(port: number): ChildProcess & { lines: AsyncIterator<string> } {
  const child = spawn("python3", [PROGRAM, String(port), PAUSE_S], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill();
  });
  return Object.assign(child, { lines: createInterface(child.stdout)[Symbol.asyncIterator]() });
}

test("the Python client of the five-minute start is filled, halted, logged out, refused and let in again, with orders that are new", async () => {
  const rig = await startTestRig();
  onTestFinished(() => rig.close());
  const api = rig.as("operator");
  const port = await rig.fixPort();
  const client = start(port);
  await printed(client, /\|35=A\|.*\|141=Y\|/);
  await printed(client, /\|150=0\|/);
  const [order] = rig.engine.workingOrders();
  rig.engine.fillOrder(order?.id ?? "", "100", "190");
  await printed(client, /\|150=F\|/);

  await api.haltTrading({ projectionPath: "Source[FIXCLIENT1]", reason: "limit breach" });
  rig.clock.advance(5);
  await printed(client, /\|150=8\|39=8\|.*\|103=0\|58=5013 SYMBOL_TRADING_IS_HALTED.*: limit breach\|/);

  const session = { gateway: "OE1", session: "FIXCLIENT1" };
  const ended = once(client, "exit");
  const disabling = api.disableFixSession(session);
  await printed(client, /\|35=5\|.*\|58=The session is disabled\|/);
  rig.clock.advance(1_000);
  expect(await disabling).toMatchObject({ status: "Disabled" });
  await ended;

  const refused = start(port);
  await printed(refused, /\|35=5\|.*\|58=The session is disabled\|/);
  await once(refused, "exit");
  await api.enableFixSession(session);
  await api.resumeTrading({ projectionPath: "Source[FIXCLIENT1]" });
  rig.clock.advance(5);
  const again = start(port);
  await printed(again, /\|35=A\|/);
  // The first order of the second run, which would be a duplicate if runs had the same ids.
  expect(await printed(again, /\|35=8\|/)).toMatch(/\|150=0\|/);
});
