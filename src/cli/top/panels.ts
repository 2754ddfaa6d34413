import { sessionName } from "../fix/session-list.ts";
import { type Column, type Row, textColumns, titleOf } from "../output/columns.ts";
import type { State } from "./state.ts";
import type { PanelName, PanelView } from "./view.ts";

export interface ScreenPanel {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** How many are as they should be, of all: `5 of 12 connected`. */
  readonly count?: string | undefined;
  /** Shown in place of rows. */
  readonly notice?: string;
}

/** The most important first. Names and states can be distinguished at 80 columns; figures go before they are cut. */
const COLUMNS: Readonly<Record<PanelName, readonly Column[]>> = {
  sessions: [
    { name: "session", kind: "text", keep: 30 },
    { name: "status", kind: "text", keep: 12 },
    { name: "inbound", kind: "integer" },
    { name: "outbound", kind: "integer" },
    { name: "in/s", kind: "decimal" },
    { name: "out/s", kind: "decimal" },
    ...textColumns("peer"),
  ],
  services: [
    { name: "service", kind: "text", keep: 30 },
    { name: "orders", kind: "text", keep: 8 },
    ...textColumns("status", "type"),
  ],
  positions: [
    { name: "position", kind: "text", keep: 40 },
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
  const sorted = kept.toSorted((a, b) => inOrderOf(field, a, b) * (descending ? -1 : 1));
  return { columns, rows: sorted, count: countOf(name, rows) };
}

/** By states, what is equal in one is in the order of the others: a connector without connection is worse than one with. */
function inOrderOf(field: string, a: Row, b: Row): number {
  if (!RANKS[field]) return compared(sortKey(a[field]), sortKey(b[field]));
  const ranked = [field, ...Object.keys(RANKS)].map(
    (name) => rankOf(RANKS[name], a[name]) - rankOf(RANKS[name], b[name]),
  );
  return ranked.find((difference) => difference !== 0) ?? 0;
}

export function orderOf(column: Column, descending: boolean): string {
  const isRanked = RANKS[column.name] !== undefined;
  const first = isRanked ? (descending ? ", best first" : ", worst first") : descending ? ", largest first" : "";
  return `by ${titleOf(column).toLowerCase()}${first}`;
}

/** Words of columns that say how something is, the worst first; what says nothing comes last. */
const RANKS: Readonly<Record<string, readonly string[]>> = {
  status: ["Disabled", "Disconnected", "Connected"],
  orders: ["disabled", "enabled"],
};

/** Column whose best value is counted. */
const COUNTED: Partial<Record<PanelName, string>> = { sessions: "status", services: "orders" };

function countOf(name: PanelName, rows: readonly Row[]): string | undefined {
  const field = COUNTED[name];
  const best = field === undefined ? undefined : RANKS[field]?.at(-1);
  if (field === undefined || best === undefined) return undefined;
  return `${rows.filter((row) => row[field] === best).length} of ${rows.length} ${best.toLowerCase()}`;
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

function compared(first: number | string, second: number | string): number {
  if (typeof first === "number" && typeof second === "number") return first - second;
  return String(first) < String(second) ? -1 : String(first) > String(second) ? 1 : 0;
}

function rankOf(ranks: readonly string[] = [], value: unknown): number {
  const rank = ranks.indexOf(String(value));
  return rank < 0 ? ranks.length : rank;
}

/** Numbers by their amount, whatever their sign; what has no value comes first, and so last when the largest are. */
function sortKey(value: unknown): number | string {
  if (value === null || value === undefined) return Number.NEGATIVE_INFINITY;
  if (typeof value === "number") return Math.abs(value);
  return typeof value === "string" && DECIMAL.test(value) ? Math.abs(Number(value)) : String(value);
}
