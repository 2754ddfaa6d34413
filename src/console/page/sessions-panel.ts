import type { Output } from "../../core/operations/table.ts";
import { element, setText } from "../../pages/dom.ts";
import { utc } from "../../pages/time.ts";
import { commandsColumn, nameColumn, rowCommand, stateColumn, type TableColumn, textColumn } from "./columns.ts";
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

const COLUMNS: readonly TableColumn<Shown>[] = [
  stateColumn(({ status }) => ({
    words: status,
    tone: status === "Disabled" ? "halted" : status === "Disconnected" ? "partly" : "",
  })),
  nameColumn("Session", ({ sessionId }) => sessionId),
  textColumn("Next in", ({ inboundSequence }) => String(inboundSequence), { kind: "number" }),
  textColumn("Next out", ({ outboundSequence }) => String(outboundSequence), { kind: "number" }),
  textColumn("Gateway", ({ gatewayName, gatewayType }) => `${gatewayName} (${gatewayType})`),
  textColumn("Remote", ({ remoteIp, remotePort }) => (remoteIp === null ? "" : `${remoteIp}:${remotePort ?? ""}`), {
    kind: "word",
  }),
  textColumn("Local port", ({ localPort }) => (localPort === null ? "" : String(localPort)), { kind: "number" }),
];

/** FIX gateways and their sessions, and what enables, disables and disconnects them. */
export class SessionsPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<Shown>("FIX sessions", ({ gatewayName, sessionId }) => `${gatewayName} ${sessionId}`);
  readonly #summary = element("p", { className: "count" });
  readonly #gateways: Reading<Gateway[]>;
  readonly #byGateway = new Map<string, Reading<Session[]>>();

  constructor(parts: Parts) {
    super("sessions", parts.polling);
    this.#parts = parts;
    this.#gateways = new Reading(() => parts.api.client.listFixGateways());
    this.#table.columns = [...COLUMNS, this.#commands()];
    this.body.append(this.#table.scroller, this.#summary);
    this.#gateways.onChange(() => this.#takeGateways());
    this.follow(this.#gateways, { periodMs: () => GATEWAYS_MS });
  }

  /** Reads the sessions again. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#byGateway.values()].map((reading) => reading.refresh()));
  }

  override show(): void {
    this.note(this.#parts.access.note("disableFixSession", "control FIX sessions"));
    const gateways = this.#gateways.value ?? [];
    this.#table.rows = gateways.flatMap(({ gatewayName, gatewayType }) =>
      this.#sessionsOf(gatewayName).map((session) => ({ ...session, gatewayType })),
    );
    setText(
      this.#summary,
      gateways.map((gateway) => summaryOf(gateway, this.#sessionsOf(gateway.gatewayName))).join(" · "),
    );
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
    const reading = new Reading(() => this.#parts.api.client.listFixSessions({ gateway }));
    reading.onChange(() => this.show());
    this.#byGateway.set(gateway, reading);
    this.follow(reading, { periodMs: () => SESSIONS_MS });
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

function idOf({ gatewayName, sessionId }: Session): { readonly gateway: string; readonly session: string } {
  return { gateway: gatewayName, session: sessionId };
}

/** A gateway in a line, for those without sessions too. */
function summaryOf({ gatewayName, updateTimestamp }: Gateway, sessions: readonly Session[]): string {
  const connected = sessions.filter(({ status }) => status === "Connected").length;
  return `${gatewayName}: ${connected} of ${sessions.length} connected, updated ${utc(updateTimestamp)}`;
}
