import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { selectRequests } from "../../src/cli/audit/select.ts";
import { AdminApi } from "../../src/core/admin-api.ts";
import type { Clock } from "../../src/core/clock.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { EngineClock, type WebSocketBus } from "../../transports/websocket.ts";
import { OpenedWebSockets } from "../transports/support/websocket-link.ts";
import { AuditFolder } from "./folder.ts";

const CHIEF = principal("chief", PERMISSIONS);
const NOBODY = principal("nobody", []);

let folder: AuditFolder;
let opened: OpenedWebSockets;
let engine: WebSocketBus;
/** The time at the engine; the gateways' clocks differ from it by what they are ahead. */
let time: ManualClock;

beforeEach(async () => {
  folder = new AuditFolder();
  opened = new OpenedWebSockets();
  time = new ManualClock();
  engine = await opened.bus({ clock: time });
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), engine, time);
});

afterEach(async () => {
  await opened.close();
  await folder.close();
});

/** A gateway whose clock is so far ahead of the engine's, with an audit file of its name. */
async function gatewayAhead(gateway: string, aheadMs: number): Promise<AdminApi> {
  const clock: Clock = {
    now: () => time.now() + aheadMs,
    monotonic: () => time.monotonic(),
    schedule: (delayMs, task) => time.schedule(delayMs, task),
  };
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
    time.advance(3);
    await b.as(CHIEF).haltTrading();
    time.advance(3);
    await a.as(CHIEF).resumeTrading();
    time.advance(3);
    await expect(b.as(NOBODY).resumeTrading()).rejects.toThrow();
    time.advance(3);
    await expect(b.as(CHIEF).disableService({ name: "NOSUCH" })).rejects.toThrow();
    time.advance(3);
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
    time.advance(3);
    await a.as(CHIEF).resumeTrading();
    expect(await shown()).toEqual({ rows: ["b haltTrading applied", "a resumeTrading applied"], warnings: [] });
  });
});
