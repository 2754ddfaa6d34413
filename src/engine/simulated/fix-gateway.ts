import type { Output } from "../../core/operations/table.ts";
import { EngineRejection } from "../engine.ts";
import { FixSession, type Traffic } from "./fix-session.ts";
import type { Installation } from "./installation-schema.ts";

type Detail = Output<"getFixGateway">;
type SessionDetail = Output<"getFixSession">;

/** Logon and its reply, one message each way. */
const LOGON: Traffic = { messagesSent: 1, messagesReceived: 1, bytesSent: 96, bytesReceived: 128 };

/** One FIX gateway with its sessions; `now` is in epoch milliseconds everywhere. */
export class FixGateway {
  readonly name: string;
  readonly type: Detail["gatewayType"];
  readonly #sessions = new Map<string, FixSession>();
  #updateTimestamp: number;
  #acceptedConnections = 0;
  #rejectedConnections = 0;

  constructor(name: string, entry: Installation["gateways"][string], now: number) {
    this.name = name;
    this.type = entry.type;
    this.#updateTimestamp = now;
    for (const session of entry.sessions) this.#sessions.set(session.id, new FixSession(name, entry, session));
  }

  summary(): Output<"listFixGateways">[number] {
    return { gatewayName: this.name, gatewayType: this.type, updateTimestamp: this.#updateTimestamp };
  }

  detail(): Detail {
    const totals = { messagesSent: 0, messagesReceived: 0, bytesSent: 0, bytesReceived: 0 };
    for (const { traffic } of this.#sessions.values()) {
      totals.messagesSent += traffic.messagesSent;
      totals.messagesReceived += traffic.messagesReceived;
      totals.bytesSent += traffic.bytesSent;
      totals.bytesReceived += traffic.bytesReceived;
    }
    return {
      ...this.summary(),
      sessions: this.#sessions.size,
      acceptedConnections: this.#acceptedConnections,
      rejectedConnections: this.#rejectedConnections,
      ...totals,
    };
  }

  sessions(): Output<"listFixSessions"> {
    return [...this.#sessions.values()].map((session) => session.summary());
  }

  session(id: string): SessionDetail {
    return this.#find(id).detail();
  }

  /** The peer asks for a connection; says whether it was accepted. A connected session refuses a second one. */
  logon(id: string, now: number, ephemeralPort: number): boolean {
    const session = this.#find(id);
    this.#updateTimestamp = now;
    if (session.status !== "Disconnected") {
      this.#rejectedConnections += 1;
      return false;
    }
    this.#acceptedConnections += 1;
    session.connect(now, ephemeralPort);
    session.exchange(LOGON);
    return true;
  }

  /** Drops the connection; the peer may log on again at once. Without a connection nothing changes. */
  disconnect(id: string, now: number): SessionDetail {
    return this.#move(id, "Connected", "Disconnected", now);
  }

  /** Drops the connection and refuses logons from now on. */
  disable(id: string, now: number): SessionDetail {
    return this.#move(id, this.#find(id).status, "Disabled", now);
  }

  /** Lets a disabled session log on again; any other stays as it is. */
  enable(id: string, now: number): SessionDetail {
    return this.#move(id, "Disabled", "Disconnected", now);
  }

  /** Counts traffic of a session; one without a connection has none. */
  exchange(id: string, traffic: Traffic, now: number): void {
    const session = this.#find(id);
    if (session.status !== "Connected") return;
    session.exchange(traffic);
    this.#updateTimestamp = now;
  }

  #move(id: string, from: SessionDetail["status"], to: "Disconnected" | "Disabled", now: number): SessionDetail {
    const session = this.#find(id);
    if (session.status === from && from !== to) {
      session.drop(to, now);
      this.#updateTimestamp = now;
    }
    return session.detail();
  }

  #find(id: string): FixSession {
    const session = this.#sessions.get(id);
    if (!session) throw new EngineRejection("not-found", `Unknown FIX session "${id}" of gateway "${this.name}"`);
    return session;
  }
}
