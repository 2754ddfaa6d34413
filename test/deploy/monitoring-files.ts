import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

/** Path of the alert rules. */
export const RULE_FILE = fileURLToPath(new URL("../../deploy/alerts/trading-admin.rules.yaml", import.meta.url));

const DASHBOARD = new URL("../../deploy/grafana/trading-admin.json", import.meta.url);

/** An alert rule. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** All alert rules, in the order of the file. */
export function alertRules(): AlertRule[] {
  const { groups } = parse(readFileSync(RULE_FILE, "utf8")) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** One line of a panel. */
export interface PanelTarget {
  readonly panel: string;
  /** With Grafana's variables replaced by what they stand for when all gateways are shown. */
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** The panels of the dashboard. */
export function panels(): readonly Panel[] {
  return (JSON.parse(readFileSync(DASHBOARD, "utf8")) as { panels: readonly Panel[] }).panels;
}

/** What the dashboard asks Prometheus for; the range of rates is `range`. */
export function panelTargets(range: string): PanelTarget[] {
  return panels().flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      panel: title,
      expr: expr.replaceAll("$instance", ".*").replaceAll("$__rate_interval", range),
      legend: legendFormat,
    })),
  );
}
