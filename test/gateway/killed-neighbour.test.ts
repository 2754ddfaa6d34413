import { readFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { AUTHORIZATION, writeInstallation } from "../audit/installation.ts";
import { requireCommand, type Serving } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { Scrape } from "./exposition.ts";
import { type HeldEngine, startHeldEngine } from "./held-engine.ts";

let workplace: Workplace;
let engine: HeldEngine;

beforeAll(requireCommand);

beforeEach(async () => {
  workplace = new Workplace();
  engine = await startHeldEngine();
  writeInstallation(workplace, engine.settings);
});

afterEach(async () => {
  await workplace.close();
  await engine.close();
});

/** A gateway of its own process, whose file is named after it and lies in the folder of the others. */
function serve(name: string): Promise<Serving> {
  const settings = [`--admin.gateway.name=${name}`, `--admin.audit.file=${name}.jsonl`];
  return workplace.serve("--config", "application.yaml", ...settings);
}

function records(name: string): Record<string, unknown>[] {
  const lines = readFileSync(workplace.file(`${name}.jsonl`), "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
}

it("D-LOG 24: what a gateway did not end that was killed is reported by one of the others within two minutes, and shown as cut off", async () => {
  const killed = await serve("pod-a");
  const others = [await serve("pod-b"), await serve("pod-c")];
  engine.gate.hold();
  const headers = { Authorization: AUTHORIZATION, "Content-Type": "application/json" };
  const body = JSON.stringify({ projectionPath: "Account[GOLD]", reason: "bad algo" });
  const lost = fetch(`${killed.url}/api/admin/v1/trading/halt`, { method: "POST", headers, body }).catch(() => "lost");
  await expect.poll(() => engine.gate.seen.map(({ method }) => method)).toContain("haltTrading");
  await killed.stop("SIGKILL");
  expect(await lost).toBe("lost");
  const told = (): Record<string, unknown>[] => [...records("pod-b"), ...records("pod-c")];
  await expect.poll(told, { timeout: 150_000, interval: 1_000 }).toHaveLength(1);
  // Everybody looks once more.
  await new Promise((resolve) => setTimeout(resolve, 65_000));
  const [intent] = records("pod-a");
  expect(told()).toMatchObject([{ event: "cut-off", ids: [intent?.id] }]);
  const words =
    /Cut off: haltTrading of Account\[GOLD\] by chief at \S+ at gateway \\"pod-a\\"; it may have been applied/;
  expect(others.filter(({ stdout }) => words.test(stdout))).toHaveLength(1);
  const scrapes = await Promise.all(others.map(({ url }) => Scrape.of(url)));
  const counts = scrapes.map((scrape) => scrape.value("trading_admin_intents_cut_off_total"));
  expect(counts.toSorted()).toEqual([0, 1]);
  const shown = await workplace.run([
    "audit",
    "show",
    "--outcome",
    "open",
    "pod-a.jsonl",
    "pod-b.jsonl",
    "pod-c.jsonl",
  ]);
  expect(shown.stdout).toMatch(/open \(cut off\)/);
  expect(shown.stderr).toMatch(/1 open \(cut off: the gateway ended/);
}, 400_000);
