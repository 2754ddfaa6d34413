import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askSecure, startWatchedGateways, type WatchedGateways } from "../deploy/watched-gateways.ts";
import { sendRaw } from "../support/raw-http.ts";
import { alertTable, metricsOf, metricTable, withSection } from "./monitoring-tables.ts";

const FILE = new URL("../../docs/operate/monitoring.md", import.meta.url);

let gateways: WatchedGateways;
let pages: readonly string[];

beforeAll(async () => {
  gateways = await startWatchedGateways();
  const secure = await askSecure(`${gateways.secure.url}/actuator/prometheus`, "GET");
  const tokens = await sendRaw(gateways.tokens.managementUrl, { path: "/actuator/prometheus" });
  pages = [secure.body, tokens.body];
});

afterAll(() => gateways?.close());

describe("docs/operate/monitoring.md", () => {
  it("lists every metric that live gateways have, and every alert (UPDATE_DOCS=1 rewrites the tables)", () => {
    const written = readFileSync(FILE, "utf8");
    const expected = withSection(withSection(written, "metrics", metricTable(pages)), "alerts", alertTable());
    if (process.env.UPDATE_DOCS === "1") writeFileSync(FILE, expected);
    expect(readFileSync(FILE, "utf8")).toBe(expected);
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
