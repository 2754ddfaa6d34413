import type { Output } from "../../core/operations/table.ts";
import { setText } from "../../pages/dom.ts";
import { type Absent, utc } from "../../pages/words.ts";
import {
  codeColumn,
  commandsColumn,
  countColumn,
  nameColumn,
  type RowState,
  rowCommand,
  stateColumn,
  type TableColumn,
  textColumn,
} from "./columns.ts";
import { DataTable } from "./data-table.ts";
import { Panel, type Parts } from "./panel.ts";
import { Reading } from "./reading.ts";

type Gateway = Output<"listFixGateways">[number];
type Session = Output<"listFixSessions">[number];

/** A session with the type of its gateway. */
interface Shown extends Session {
  readonly gatewayType: Gateway["gatewayType"];
}

const GATEWAYS_MS = 60_000;
const SESSIONS_MS = 10_000;
const UNSEEN_MS = 60_000;

const COLUMNS: readonly TableColumn<Shown>[] = [
  stateColumn(stateOf),
  nameColumn("Session", ({ sessionId }) => sessionId),
  countColumn("Next in", ({ inboundSequence }) => inboundSequence),
  countColumn("Next out", ({ outboundSequence }) => outboundSequence),
  textColumn("Gateway", ({ gatewayName, gatewayType }) => `${gatewayName} (${gatewayType})`),
  textColumn("Remote", remoteOf, { kind: "word" }),
  codeColumn("Local port", ({ localPort }) => localPort),
];

/** FIX gateways and their sessions, and what enables, disables and disconnects them. */
export class SessionsPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<Shown>({
    id: "sessions",
    label: "FIX sessions",
    keyOf: ({ gatewayName, sessionId }) => JSON.stringify([gatewayName, sessionId]),
    searchedIn: (session) => ({
      state: session.status,
      text: [session.sessionId, session.gatewayName, session.gatewayType, remoteOf(session)].join(" "),
    }),
    orderedBy: "state",
    folded: { words: "connected", isFine },
  });
  readonly #gateways: Reading<Gateway[]>;
  readonly #byGateway = new Map<string, Reading<Session[]>>();

  constructor(parts: Parts) {
    super("sessions", parts.polling);
    this.#parts = parts;
    this.#gateways = new Reading((call) => parts.api.client.listFixGateways({}, call));
    const disabledBy = parts.records.column("disableFixSession", disabledTarget);
    this.#table.columns = [...COLUMNS, disabledBy, this.#commands()];
    this.lay(this.#table);
    this.#gateways.onChange(() => this.#takeGateways());
    this.follow(this.#gateways, { periodMs: () => GATEWAYS_MS, wanted: () => true });
    parts.records.reading.onChange(() => this.#table.refresh());
  }

  /** Reads the sessions again. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#byGateway.values()].map((reading) => reading.refresh()));
  }

  override show(): void {
    this.note(this.#parts.access.note("disableFixSession", "control FIX sessions"));
    const gateways = this.#gateways.value;
    const sessions = gateways?.flatMap(({ gatewayName, gatewayType }) =>
      this.#sessionsOf(gatewayName).map((session) => ({ ...session, gatewayType })),
    );
    this.#parts.records.noteStopped("disableFixSession", sessions?.map(disabledTarget));
    this.#table.rows = sessions;
    this.countAtLink((sessions ?? []).filter((session) => !isFine(session)).length);
    this.#showTrend();
    const byGateway = (gateways ?? []).map((gateway) => summaryOf(gateway, this.#sessionsOf(gateway.gatewayName)));
    setText(this.count, [this.#table.countWords, ...byGateway].filter(Boolean).join(" · "));
  }

  override showAge(now: number, absent: Absent): void {
    super.showAge(now, absent);
    this.#parts.trends.areSessionsOld = this.isOld;
  }

  /** A chart of some of the gateways would show a fall that there is none. */
  #showTrend(): void {
    const readings = [...this.#byGateway.values()];
    if (!this.#gateways.value || readings.some(({ value }) => value === undefined)) return;
    const at = Math.max(...readings.map(({ readAt }) => readAt ?? 0));
    const sessions = readings.flatMap(({ value }) => value ?? []);
    this.#parts.trends.sessions(at, sessions.filter(({ status }) => status === "Connected").length, sessions.length);
  }

  #sessionsOf(gateway: string): readonly Session[] {
    return this.#byGateway.get(gateway)?.value ?? [];
  }

  #takeGateways(): void {
    const names = new Set(this.#gateways.value?.map(({ gatewayName }) => gatewayName));
    for (const name of names) if (!this.#byGateway.has(name)) this.#add(name);
    for (const [name, reading] of this.#byGateway) {
      if (names.has(name)) continue;
      this.unfollow(reading);
      this.#byGateway.delete(name);
    }
    this.show();
  }

  #add(gateway: string): void {
    const reading = new Reading((call) => this.#parts.api.client.listFixSessions({ gateway }, call));
    reading.onChange(() => this.show());
    this.#byGateway.set(gateway, reading);
    // The charts need them.
    this.follow(reading, { periodMs: () => (this.isVisible ? SESSIONS_MS : UNSEEN_MS), wanted: () => true });
    void reading.refresh();
  }

  #commands(): TableColumn<Shown> {
    const { access, desk } = this.#parts;
    return commandsColumn(access, ({ gatewayName, sessionId }) => `${sessionId} of ${gatewayName}`, [
      rowCommand(desk, "disconnectFixSession", idOf, ({ status }) => status === "Connected"),
      rowCommand(desk, "disableFixSession", idOf, ({ status }) => status !== "Disabled"),
      rowCommand(desk, "enableFixSession", idOf, ({ status }) => status === "Disabled"),
    ]);
  }
}

function idOf({ gatewayName, sessionId }: Shown): { readonly gateway: string; readonly session: string } {
  return { gateway: gatewayName, session: sessionId };
}

function disabledTarget(session: Shown): ReturnType<typeof idOf> | undefined {
  return session.status === "Disabled" ? idOf(session) : undefined;
}

function isFine(session: Shown): boolean {
  return stateOf(session).tone === "running";
}

function stateOf({ status }: Shown): RowState {
  return { words: status, tone: status === "Disabled" ? "halted" : status === "Disconnected" ? "partly" : "running" };
}

function remoteOf({ remoteIp, remotePort }: Shown): string {
  return remoteIp === null ? "" : `${remoteIp}:${remotePort ?? ""}`;
}

/** A gateway in a line, for those without sessions too. */
function summaryOf({ gatewayName, updateTimestamp }: Gateway, sessions: readonly Session[]): string {
  const connected = sessions.filter(({ status }) => status === "Connected").length;
  const updated = updateTimestamp === null ? "" : `, updated ${utc(updateTimestamp)}`;
  return `${gatewayName}: ${connected} of ${sessions.length} connected${updated}`;
}
