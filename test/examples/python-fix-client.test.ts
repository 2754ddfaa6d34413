import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { startTestRig } from "../../src/testing/rig.ts";

const PAGE = new URL("../../docs/operate/start.md", import.meta.url);

/** The client of the page, at another port than that of the demo and without its pauses. */
function program(port: number): string {
  const [, code = ""] = /```python\n(.*?)```/s.exec(readFileSync(PAGE, "utf8")) ?? [];
  expect(code).toContain('("127.0.0.1", 9880)');
  return code.replace("9880", String(port)).replace("time.sleep(1)", "time.sleep(0.05)");
}

/** Lines that the client prints, until one matches. */
async function printed(client: ChildProcess & { lines: AsyncIterator<string> }, pattern: RegExp): Promise<string> {
  for (;;) {
    const { value, done } = await client.lines.next();
    if (done) throw new Error(`the client ended without ${pattern}`);
    if (pattern.test(value)) return value;
  }
}

function start(port: number): ChildProcess & { lines: AsyncIterator<string> } {
  const child = spawn("python3", ["-c", program(port)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill();
  });
  return Object.assign(child, { lines: createInterface(child.stdout)[Symbol.asyncIterator]() });
}

test("the Python client of the five-minute start is filled, halted, logged out, refused and let in again", async () => {
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
  await printed(start(port), /\|35=A\|/);
});
