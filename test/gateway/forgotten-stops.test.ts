import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAuditFile } from "../../src/audit/index.ts";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { openWebSocketBus } from "../../transports/websocket.ts";
import { Scrape } from "./exposition.ts";
import { InstallationFolder, PASSWORD } from "./folder.ts";

const AUDIT = "admin.gateway.name: gw\nadmin.audit.file: audit.jsonl\n";

let folder: InstallationFolder;
const closes: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(async () => {
  await folder.close();
  for (const close of closes.splice(0)) await close();
});

/** An engine in another place, which knows nothing of what was stopped before. */
async function startEngine(port = 0): Promise<{ readonly url: string; close(): Promise<void> }> {
  const bus = await openWebSocketBus({ host: "127.0.0.1", port });
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), bus);
  closes.push(() => bus.close());
  return { url: bus.url, close: () => bus.close() };
}

const clientAt = (baseUrl: string): ReturnType<typeof createClient> =>
  createClient({ baseUrl, credentials: basic("chief", PASSWORD) });

const errors = (): unknown[] => folder.log().flatMap(({ level, msg }) => (level === "error" ? [msg] : []));
const recorded = (stage: string): Record<string, unknown>[] =>
  folder.lines("audit.jsonl").filter((record) => record.stage === stage);

const LOST = /^Trading is no longer halted at the engine \(halted \d\d:\d\d:\d\d by chief: bad algo\)$/;

describe("D-ENG 18: an engine that was restarted and has forgotten a halt", () => {
  it("is reported in the log, the audit file, the metrics and the list of halts, once, also over a restart of the gateway", async () => {
    const engine = await startEngine();
    const yaml = `${AUDIT}admin.engine.transport: websocket\nadmin.engine.url: ${engine.url}\n`;
    const gateway = await folder.start(yaml);
    const client = clientAt(gateway.url);
    await expect.poll(() => client.haltTrading({ reason: "bad algo" }).catch(() => false)).toBe(null);
    expect((await Scrape.of(gateway.url)).value("trading_admin_halted_nodes")).toBe(1);
    await engine.close();
    await startEngine(Number(new URL(engine.url).port));
    await expect.poll(() => recorded("state-lost").length).toBe(1);
    expect(errors()).toContainEqual(expect.stringMatching(LOST));
    const [applied] = recorded("applied");
    const { operation, target, user, requestId } = applied ?? {};
    const [lost] = recorded("state-lost");
    expect(lost).toMatchObject({ event: "state-lost", operation, target, user, requestId, since: applied?.time });
    const scrape = await Scrape.of(gateway.url);
    expect(scrape.value("trading_admin_state_lost_total")).toBe(1);
    expect(scrape.value("trading_admin_halted_nodes")).toBe(0);
    const since = Date.parse(String(applied?.time));
    const told = [{ operation, target, targetFields: { projectionPath: "" }, reason: "bad algo", by: user, since }];
    expect(await client.listHalts()).toEqual({ complete: true, halts: [], lost: told });

    await gateway.close();
    const again = await folder.start(yaml);
    await expect
      .poll(() =>
        clientAt(again.url)
          .listHalts()
          .catch(() => null),
      )
      .toMatchObject({ lost: told });
    expect(recorded("state-lost")).toHaveLength(1);
  }, 120_000);

  it("D-ENG 17: what is halted is known after a restart of the gateway, from its audit file, since when and by whom", async () => {
    const engine = await startEngine();
    const yaml = `${AUDIT}admin.audit.max-file-size: 64KB\nadmin.engine.transport: websocket\nadmin.engine.url: ${engine.url}\n`;
    const gateway = await folder.start(yaml);
    const client = clientAt(gateway.url);
    await expect.poll(() => client.haltTrading({ projectionPath: "Account[GOLD]" }).catch(() => false)).toBe(null);
    // The record of the halt is in a full file by then.
    for (let count = 0; count < 40; count += 1)
      await client.resumeTrading({ projectionPath: "Account[B]", reason: "x".repeat(500) });
    await client.haltTrading({ projectionPath: "Account[C]" });
    await gateway.close();
    const again = clientAt((await folder.start(yaml)).url);
    await expect
      .poll(() => again.listHalts().catch(() => null))
      .toMatchObject({
        halts: [
          { projectionPath: "Account[GOLD]", by: "chief", since: expect.any(Number) },
          { projectionPath: "Account[C]", by: "chief" },
        ].toSorted((a, b) => (a.projectionPath < b.projectionPath ? -1 : 1)),
      });
  }, 120_000);
});

describe("D-ENG 19: intents without an outcome", () => {
  const INTENT: AuditRecord = {
    id: "cut",
    time: "2026-01-05T09:31:00.000000Z",
    stage: "intent",
    gateway: "gw",
    user: "alice",
    authentication: "basic",
    address: null,
    operation: "haltTrading",
    lane: "stop",
    target: "Account[GOLD]",
    parameters: { projectionPath: "Account[GOLD]", reason: "bad algo", cancelOrders: false },
    reason: "bad algo",
    requestId: "desk-1",
  };

  /** An audit file as a gateway leaves it that was killed in the middle. */
  async function leave(...records: AuditRecord[]): Promise<void> {
    const file = await openAuditFile({ path: folder.file("audit.jsonl") });
    for (const record of records) await file.write(record);
    await file.close();
  }

  it("are reported at the next start, with what to read, and not at those that follow", async () => {
    const update = { operation: "updateRiskTable", lane: "change", target: "Account", parameters: {} } as const;
    await leave(
      INTENT,
      { ...INTENT, id: "done" },
      { ...INTENT, id: "done", stage: "applied" },
      { ...INTENT, ...update, id: "risk" },
    );
    const gateway = await folder.start(AUDIT);
    await expect.poll(() => recorded("cut-off").length).toBe(1);
    expect(recorded("cut-off")).toMatchObject([
      { event: "cut-off", ids: ["cut", "risk"], count: 2, operation: null, user: null },
    ]);
    const at = "2026-01-05T09:31:00.000000Z; it may have been applied";
    expect(errors()).toEqual([
      "2 commands have no outcome: the gateway ended before it was recorded; each may have been applied, so read the state",
      `Cut off: haltTrading of Account[GOLD] by alice at ${at}: getTradingStatus shows it`,
      `Cut off: updateRiskTable of Account by alice at ${at}: getRiskTable shows it`,
    ]);
    expect((await Scrape.of(gateway.url)).value("trading_admin_intents_cut_off_total")).toBe(2);
    await gateway.close();
    const again = await folder.start(AUDIT);
    await clientAt(again.url).listHalts();
    await again.close();
    expect(recorded("cut-off")).toHaveLength(1);
  });

  it("of a stop raise no alarm when the engine does not show it: it may not have been sent", async () => {
    await leave(INTENT);
    const { url } = await folder.start(AUDIT);
    const halts = await clientAt(url).listHalts();
    expect(halts).toEqual({ complete: true, halts: [] });
    expect((await Scrape.of(url)).value("trading_admin_halted_nodes")).toBe(0);
  });
});
