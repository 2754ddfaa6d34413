import { type Column, type Row, textColumns } from "../output/columns.ts";
import { sessionName } from "../watch/sessions.ts";
import type { State } from "./state.ts";
import type { PanelName, PanelView } from "./view.ts";

/** A list of the screen. */
export interface ScreenPanel {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** What stands in place of rows. */
  readonly notice?: string;
}

/** The most important first. */
const COLUMNS: Readonly<Record<PanelName, readonly Column[]>> = {
  sessions: [
    ...textColumns("session", "status"),
    { name: "inbound", kind: "integer" },
    { name: "outbound", kind: "integer" },
    { name: "in/s", kind: "decimal" },
    { name: "out/s", kind: "decimal" },
    ...textColumns("peer"),
  ],
  services: textColumns("service", "orders", "status", "type"),
  positions: [
    ...textColumns("position"),
    ...["size", "marketValue", "unrealizedPnL", "realizedPnL", "averageCost"].map(
      (name): Column => ({ name, kind: "decimal" }),
    ),
  ],
};

/** A list as it is looked at: filtered and sorted. */
export function panelOf(name: PanelName, state: State, { sort, descending, filter }: PanelView): ScreenPanel {
  const columns = COLUMNS[name];
  const rows = rowsOf(name, state);
  if (typeof rows === "string") return { columns, rows: [], notice: rows };
  const wanted = filter.toLowerCase();
  const kept = rows.filter((row) =>
    columns.some((column) =>
      String(row[column.name] ?? "")
        .toLowerCase()
        .includes(wanted),
    ),
  );
  const field = columns[sort]?.name ?? "";
  const sorted = kept.toSorted((a, b) => compared(a[field], b[field]) * (descending ? -1 : 1));
  return { columns, rows: sorted };
}

function rowsOf(name: PanelName, { reading, rates }: State): readonly Row[] | string {
  if (!reading) return "";
  switch (name) {
    case "sessions":
      return reading.sessions.map((session) => {
        const rate = rates.get(sessionName(session));
        return {
          session: sessionName(session),
          status: session.status,
          inbound: session.inboundSequence,
          outbound: session.outboundSequence,
          "in/s": rate?.inbound.toFixed(1) ?? null,
          "out/s": rate?.outbound.toFixed(1) ?? null,
          peer: session.remoteIp === null ? null : `${session.remoteIp}:${session.remotePort}`,
        };
      });
    case "services":
      return reading.services.map(({ name: service, enabled, status, type }) => ({
        service,
        orders: enabled ? "enabled" : "disabled",
        status,
        type,
      }));
    case "positions":
      if (typeof reading.positions === "string") return reading.positions;
      return reading.positions.map((position) => ({ ...position, position: position.projection || "(root)" }));
  }
}

const DECIMAL = /^[+-]?\d+(\.\d+)?$/;

/** Numbers by their amount, whatever their sign; what has no value comes first, and so last when the largest are. */
function compared(a: unknown, b: unknown): number {
  const [first, second] = [sortKey(a), sortKey(b)];
  if (typeof first === "number" && typeof second === "number") return first - second;
  return String(first) < String(second) ? -1 : String(first) > String(second) ? 1 : 0;
}

function sortKey(value: unknown): number | string {
  if (value === null || value === undefined) return Number.NEGATIVE_INFINITY;
  if (typeof value === "number") return Math.abs(value);
  return typeof value === "string" && DECIMAL.test(value) ? Math.abs(Number(value)) : String(value);
}
