import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PASSWORD } from "../gateway/folder.ts";
import { ALERT_CASES, promtoolTests } from "./alert-cases.ts";
import { alertRules, panels, panelTargets, RULE_FILE } from "./monitoring-files.ts";
import {
  findPrometheus,
  lintMetrics,
  type PrometheusPrograms,
  type PrometheusServer,
  promtool,
  startPrometheus,
} from "./prometheus.ts";
import { groupingOf, labelsIn, selectorsOf } from "./promql.ts";
import { askSecure, startWatchedGateways, type WatchedGateways } from "./watched-gateways.ts";

/** Labels that every scraped series has. */
const TARGET_LABELS = ["job", "instance"];

const TIMEOUT = { timeout: 20_000, interval: 200 };

let programs: PrometheusPrograms;
let gateways: WatchedGateways;
let prometheus: PrometheusServer;

beforeAll(async () => {
  programs = await findPrometheus();
  gateways = await startWatchedGateways();
  const user = { name: "chief", password: PASSWORD };
  const targets = [{ origin: gateways.secure.url, user }, { origin: gateways.tokens.managementUrl }];
  prometheus = await startPrometheus(programs, targets, RULE_FILE);
  await vi.waitFor(
    async () => {
      expect(await prometheus.query("up == 1")).toHaveLength(2);
      // A rate needs two scrapes.
      expect(await prometheus.query("rate(process_cpu_seconds_total[1m])")).toHaveLength(2);
      // The gateways read the FIX sessions for the first time half a minute after their start.
      expect(await prometheus.query("trading_admin_fix_sessions")).not.toEqual([]);
    },
    { ...TIMEOUT, timeout: 90_000 },
  );
}, 120_000);

afterAll(async () => {
  await prometheus?.stop();
  await gateways?.close();
});

/** Labels that all series of a result have. */
async function labelsOf(expression: string): Promise<string[]> {
  const series = await prometheus.query(expression);
  expect(series, expression).not.toEqual([]);
  const [first = {}, ...others] = series.map(({ metric }) => metric);
  return Object.keys(first).filter((label) => others.every((metric) => Object.hasOwn(metric, label)));
}

describe("alert rules against the metrics that really exist", () => {
  it("Prometheus accepts the rules", async () => {
    expect(await promtool(programs, "check", "rules", RULE_FILE)).toContain(`${alertRules().length} rules found`);
  });

  it.each(alertRules().map((rule) => [rule.alert, rule] as const))(
    "%s: every series it selects is there, and so is every label it groups by or names",
    async (_, { expr, annotations }) => {
      const selectors = selectorsOf(expr);
      expect(selectors).not.toEqual([]);
      for (const { text } of selectors) {
        // An alert may be about a state that is not there now, but the series has to be.
        expect(await labelsOf(text)).toEqual(expect.arrayContaining(groupingOf(expr)));
      }
      const grouping = groupingOf(expr);
      const named = Object.values(annotations).flatMap(labelsIn);
      const known = grouping.length > 0 ? grouping : await labelsOf(selectors[0]?.text ?? "");
      expect([...known, ...TARGET_LABELS]).toEqual(expect.arrayContaining(named));
    },
  );

  it("every alert fires when it should and is quiet when it should (promtool)", async () => {
    expect(new Set(ALERT_CASES.map(({ alert }) => alert))).toEqual(new Set(alertRules().map(({ alert }) => alert)));
    const folder = await mkdtemp(join(tmpdir(), "trading-admin-rules-"));
    try {
      const file = join(folder, "cases.json");
      await writeFile(file, JSON.stringify(promtoolTests(RULE_FILE)));
      expect(await promtool(programs, "test", "rules", file)).toContain("SUCCESS");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("every alert says how urgent it is, and what to do", () => {
    for (const { alert, labels, annotations } of alertRules()) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(page|warning)$/)]);
      expect(Object.keys(annotations)).toEqual(["summary", "description"]);
    }
  });

  it("a live Prometheus over live gateways pages when the outcome of a halt is unknown, and not before", async () => {
    const state = async (alert: string): Promise<string | undefined> => (await prometheus.rules()).get(alert)?.state;
    await expect.poll(() => state("TradingAdminOutcomeUnknown"), TIMEOUT).toBe("inactive");
    for (const [name, { health }] of await prometheus.rules()) expect([name, health]).toEqual([name, "ok"]);
    gateways.engine.gate.hold();
    const halt = await askSecure(`${gateways.secure.url}/api/admin/v1/trading/halt`, "POST");
    expect(halt.status).toBe(504);
    gateways.engine.gate.release();
    await expect.poll(() => state("TradingAdminOutcomeUnknown"), TIMEOUT).toBe("firing");
    expect(await state("TradingAdminEngineLinkDown")).toBe("inactive");
  });
});

describe("the dashboard against the metrics that really exist", () => {
  it.each(panelTargets("1m").map((target) => [target.panel, target.expr, target] as const))(
    "%s: %s finds series that have what its legend names",
    async (_, expr, { legend }) => {
      for (const { text } of selectorsOf(expr)) {
        expect(await labelsOf(text)).toEqual(expect.arrayContaining(groupingOf(expr)));
      }
      expect(await labelsOf(expr)).toEqual(expect.arrayContaining(labelsIn(legend)));
    },
  );

  it("panels have names and ids of their own and do not overlap", () => {
    const ids = panels().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = panels().flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels().map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });
});

describe("names of metrics follow Prometheus' conventions", () => {
  it("promtool finds nothing to complain about in what a gateway exposes", async () => {
    const { status, body } = await askSecure(`${gateways.secure.url}/actuator/prometheus`, "GET");
    expect(status).toBe(200);
    await lintMetrics(programs, body);
  });
});
