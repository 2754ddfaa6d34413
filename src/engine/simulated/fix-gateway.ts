import type { Clock } from "../../core/clock.ts";
import type { Output } from "../../core/operations/table.ts";
import { EngineRejection } from "../engine.ts";
import { FixSession, type Traffic } from "./fix-session.ts";
import type { Installation } from "./installation-schema.ts";
import type { Random } from "./random.ts";

type Detail = Output<"getFixGateway">;
type SessionDetail = Output<"getFixSession">;

const FIRST_EPHEMERAL_PORT = 32_768;
const LAST_EPHEMERAL_PORT = 60_999;

/** Logon and its reply, one message each way. */
const LOGON: Traffic = { messagesSent: 1, messagesReceived: 1, bytesSent: 96, bytesReceived: 128 };

/** All FIX gateways; what peers do comes from outside, through `logon`, `disconnect` and `exchange`. */
export class FixDesk {
  readonly #gateways = new Map<string, FixGateway>();

  constructor(gateways: Installation["gateways"], clock: Clock, random: Random) {
    for (const [name, entry] of Object.entries(gateways)) {
      const gateway = new FixGateway(name, entry, clock, random);
      this.#gateways.set(name, gateway);
      for (const { id, status } of entry.sessions) if (status === "Connected") gateway.logon(id);
    }
  }

  get all(): readonly FixGateway[] {
    return [...this.#gateways.values()];
  }

  gateway(name: string): FixGateway {
    const gateway = this.#gateways.get(name);
    if (!gateway) throw new EngineRejection("not-found", `Unknown FIX gateway "${name}"`);
    return gateway;
  }
}

/** One FIX gateway with its sessions. */
class FixGateway {
  readonly name: string;
  readonly type: Detail["gatewayType"];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #sessions = new Map<string, FixSession>();
  #updateTimestamp: number;
  #acceptedConnections = 0;
  #rejectedConnections = 0;

  constructor(name: string, entry: Installation["gateways"][string], clock: Clock, random: Random) {
    this.name = name;
    this.type = entry.type;
    this.#clock = clock;
    this.#random = random;
    this.#updateTimestamp = clock.now();
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
  logon(id: string): boolean {
    const ephemeralPort = this.#random.integer(FIRST_EPHEMERAL_PORT, LAST_EPHEMERAL_PORT);
    const session = this.#find(id);
    const now = this.#clock.now();
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

  /** Drops the connection; the peer may log on again immediately. Without a connection nothing changes. */
  disconnect(id: string): SessionDetail {
    return this.#move(id, "Connected", "Disconnected");
  }

  /** Drops the connection and refuses logons from now on. */
  disable(id: string): SessionDetail {
    return this.#move(id, this.#find(id).status, "Disabled");
  }

  /** Lets a disabled session log on again; any other stays as it is. */
  enable(id: string): SessionDetail {
    return this.#move(id, "Disabled", "Disconnected");
  }

  /** Counts traffic of a session; one without a connection has none. */
  exchange(id: string, traffic: Traffic): void {
    const session = this.#find(id);
    if (session.status !== "Connected") return;
    session.exchange(traffic);
    this.#updateTimestamp = this.#clock.now();
  }

  #move(id: string, from: SessionDetail["status"], to: "Disconnected" | "Disabled"): SessionDetail {
    const session = this.#find(id);
    if (session.status === from && from !== to) {
      this.#updateTimestamp = this.#clock.now();
      session.drop(to, this.#updateTimestamp);
    }
    return session.detail();
  }

  #find(id: string): FixSession {
    const session = this.#sessions.get(id);
    if (!session) throw new EngineRejection("not-found", `Unknown FIX session "${id}" of gateway "${this.name}"`);
    return session;
  }
}
