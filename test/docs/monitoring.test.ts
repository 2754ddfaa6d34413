import { readFileSync, writeFileSync } from "node:fs";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keptLog } from "../../src/core/logger.ts";
import { FixSessionCounts } from "../../src/gateway/telemetry/fix-sessions.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { alertRules } from "../deploy/monitoring-files.ts";
import { askSecure, startWatchedGateways, type WatchedGateways } from "../deploy/watched-gateways.ts";
import { sendRaw } from "../support/raw-http.ts";
import { until } from "../support/until.ts";
import { alertTable, metricsOf, metricTable, shownSummary, withSection } from "./monitoring-tables.ts";

const FILE = new URL("../../docs/operate/monitoring.md", import.meta.url);

let gateways: WatchedGateways;
let pages: readonly string[];

beforeAll(async () => {
  gateways = await startWatchedGateways();
  const secure = await askSecure(`${gateways.secure.url}/actuator/prometheus`, "GET");
  const tokens = await sendRaw(gateways.tokens.managementUrl, { path: "/actuator/prometheus" });
  pages = [secure.body, tokens.body, await fixSessionMetrics()];
});

afterAll(() => gateways?.close());

/** Metrics of FIX sessions, of which a gateway has samples 30 s after its start. */
async function fixSessionMetrics(): Promise<string> {
  const rig = await startTestRig();
  const registry = new Registry();
  const { log } = keptLog();
  const counts = new FixSessionCounts({ api: rig.api, clock: rig.clock, log: { ...log, info: () => {} } }, registry);
  counts.start();
  rig.clock.advance(30_000);
  let page = "";
  const isRead = async (): Promise<boolean> => {
    page = await registry.metrics();
    return page.includes("trading_admin_fix_sessions{");
  };
  await until(isRead, "the sessions are read");
  counts.close();
  await rig.close();
  return page;
}

describe("docs/operate/monitoring.md", () => {
  it("lists every metric that live gateways have, and every alert (UPDATE_DOCS=1 rewrites the tables)", () => {
    const written = readFileSync(FILE, "utf8");
    const expected = withSection(withSection(written, "metrics", metricTable(pages)), "alerts", alertTable());
    if (process.env.UPDATE_DOCS === "1") writeFileSync(FILE, expected);
    expect(readFileSync(FILE, "utf8")).toBe(expected);
  });

  it("every alert begins with a sentence that names what it is about", () => {
    for (const rule of alertRules()) {
      expect(shownSummary(rule)).toMatch(/^(?!(?:It|Its|They|Their|Each|This|These|Meanwhile)\b)[^{}]+[^.{}]$/);
    }
  });

  it("every metric has a sample, so that its labels are known", () => {
    expect([...metricsOf(pages)].filter(([, { labels }]) => labels === undefined).map(([name]) => name)).toEqual([]);
  });

  it("every metric says what it is, in base units", () => {
    const metrics = metricsOf(pages);
    expect(metrics.size).toBeGreaterThan(25);
    for (const [name, { type, help }] of metrics) {
      expect([name, type]).toEqual([name, expect.stringMatching(/^(counter|gauge|histogram)$/)]);
      expect(help).toMatch(/^[A-Z0-9].*\.$/);
      expect(name.endsWith("_total")).toBe(type === "counter");
      if (type === "histogram") expect(name).toMatch(/_seconds$/);
    }
  });
});
