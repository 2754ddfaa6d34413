import type { Output } from "../../core/operations/table.ts";
import { disableSession, disconnectSession, enableSession } from "./commands.ts";
import { DataTable, textColumn } from "./data-table.ts";
import { describeButtons, element, setText } from "./dom.ts";
import { Panel, type Parts } from "./panel.ts";
import { Reading } from "./reading.ts";
import { utc } from "./time.ts";

type Gateway = Output<"listFixGateways">[number];
type Session = Output<"listFixSessions">[number];

/** A session with the type of its gateway. */
interface Shown extends Session {
  readonly gatewayType: Gateway["gatewayType"];
}

const GATEWAYS_MS = 60_000;
const SESSIONS_MS = 10_000;

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
    this.#table.columns = [
      {
        title: "State",
        kind: "text",
        show: (cell, { status }) => {
          cell.textContent = status;
          cell.dataset.state = status === "Disabled" ? "halted" : status === "Disconnected" ? "partly" : "";
        },
      },
      textColumn("Session", ({ sessionId }) => sessionId, { kind: "name" }),
      textColumn("Next in", ({ inboundSequence }) => String(inboundSequence), { kind: "number" }),
      textColumn("Next out", ({ outboundSequence }) => String(outboundSequence), { kind: "number" }),
      textColumn("Gateway", ({ gatewayName, gatewayType }) => `${gatewayName} (${gatewayType})`),
      textColumn("Remote", ({ remoteIp, remotePort }) => (remoteIp === null ? "" : `${remoteIp}:${remotePort ?? ""}`)),
      textColumn("Local port", ({ localPort }) => (localPort === null ? "" : String(localPort)), { kind: "number" }),
      { title: "Commands", kind: "commands", show: (cell, session) => this.#showActions(cell, session) },
    ];
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

  #showActions(cell: HTMLElement, { gatewayName: gateway, sessionId: session, status }: Shown): void {
    const { access, desk } = this.#parts;
    const named = { gateway, session };
    if (cell.childElementCount === 0) {
      const disconnect = access.button(
        "Disconnect",
        "disconnectFixSession",
        () => void desk.ask(disconnectSession(named)),
      );
      const disable = access.button("Disable", "disableFixSession", () => void desk.ask(disableSession(named)));
      for (const button of [disconnect, disable]) button.classList.add("stop");
      cell.append(
        disconnect,
        disable,
        access.button("Enable", "enableFixSession", () => void desk.ask(enableSession(named))),
      );
      describeButtons(cell, `${session} of ${gateway}`);
    }
    const [disconnect, disable, enable] = cell.querySelectorAll("button");
    if (!disconnect || !disable || !enable) return;
    disconnect.hidden = status !== "Connected";
    disable.hidden = status === "Disabled";
    enable.hidden = status !== "Disabled";
    access.mark(disconnect, "disconnectFixSession");
    access.mark(disable, "disableFixSession");
    access.mark(enable, "enableFixSession");
  }
}

/** A gateway in a line, for those without sessions too. */
function summaryOf({ gatewayName, updateTimestamp }: Gateway, sessions: readonly Session[]): string {
  const connected = sessions.filter(({ status }) => status === "Connected").length;
  return `${gatewayName}: ${connected} of ${sessions.length} connected, updated ${utc(updateTimestamp)}`;
}
