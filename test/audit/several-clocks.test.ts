import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { selectRequests } from "../../src/cli/audit/select.ts";
import { AdminApi } from "../../src/core/admin-api.ts";
import { systemClock } from "../../src/core/clock.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { EngineClock, type WebSocketBus } from "../../transports/websocket.ts";
import { OpenedWebSockets } from "../transports/support/websocket-link.ts";
import { AuditFolder } from "./folder.ts";

const CHIEF = principal("chief", PERMISSIONS);
const NOBODY = principal("nobody", []);

let folder: AuditFolder;
let opened: OpenedWebSockets;
let engine: WebSocketBus;

beforeEach(async () => {
  folder = new AuditFolder();
  opened = new OpenedWebSockets();
  engine = await opened.bus();
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), engine);
});

afterEach(async () => {
  await opened.close();
  await folder.close();
});

/** A gateway whose clock is so far ahead of the engine's, with an audit file of its name. */
async function gatewayAhead(gateway: string, aheadMs: number): Promise<AdminApi> {
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const engineClock = new EngineClock(() => {}, clock);
  const transport = await opened.connected({ url: engine.url, engineClock });
  const audit = await folder.open({ path: fileOf(gateway) });
  return opened.add(new AdminApi({ transport, audit, clock, gateway, stopCheck: false }), (api) => api.close());
}

function fileOf(gateway: string): string {
  return `${folder.path}/${gateway}.jsonl`;
}

async function shown(): Promise<{ readonly rows: string[]; readonly warnings: readonly string[] }> {
  const { requests, warnings } = await selectRequests([fileOf("a"), fileOf("b")], () => true);
  return { rows: requests.map(({ gateway, operation, outcome }) => `${gateway} ${operation} ${outcome}`), warnings };
}

describe("D-LOG 18: audit files of gateways whose clocks differ are merged by the engine's time", () => {
  it.each([
    [200_000, "200.0 s ahead of"],
    [-3_600_000, "3600.0 s behind"],
  ])("with a clock %i ms ahead", async (aheadMs, distance) => {
    const a = await gatewayAhead("a", 0);
    const b = await gatewayAhead("b", aheadMs);
    await a.as(CHIEF).haltTrading({ reason: "first" });
    await systemPause();
    await b.as(CHIEF).haltTrading();
    await systemPause();
    await a.as(CHIEF).resumeTrading();
    await systemPause();
    await expect(b.as(NOBODY).resumeTrading()).rejects.toThrow();
    await systemPause();
    await expect(b.as(CHIEF).disableService({ name: "NOSUCH" })).rejects.toThrow();
    await systemPause();
    await a.as(CHIEF).haltTrading();
    const { rows, warnings } = await shown();
    expect(rows).toEqual([
      "a haltTrading applied",
      "b haltTrading applied",
      "a resumeTrading applied",
      "b resumeTrading denied",
      "b disableService rejected",
      "a haltTrading applied",
    ]);
    expect(warnings).toEqual([
      `the clock of b was up to ${distance} the engine's; requests are in the order of the engine's time`,
    ]);
  });

  it("without a word where they agree", async () => {
    const b = await gatewayAhead("b", 0);
    const a = await gatewayAhead("a", 300);
    await b.as(CHIEF).haltTrading();
    await systemPause();
    await a.as(CHIEF).resumeTrading();
    expect(await shown()).toEqual({ rows: ["b haltTrading applied", "a resumeTrading applied"], warnings: [] });
  });
});

/** The engine tells whole milliseconds. */
function systemPause(): Promise<void> {
  return new Promise((resolve) => systemClock.schedule(3, resolve));
}
