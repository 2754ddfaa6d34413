import type { Clock } from "../../core/clock.ts";
import type { Output } from "../../core/operations/table.ts";
import { EngineRejection } from "../engine.ts";
import type { PortGateway } from "../fix/port.ts";
import { FixSession, type Traffic } from "./fix-session.ts";
import type { Installation } from "./installation-schema.ts";
import type { Chance } from "./random.ts";

type Detail = Output<"getFixGateway">;
type SessionDetail = Output<"getFixSession">;

const FIRST_EPHEMERAL_PORT = 32_768;
const LAST_EPHEMERAL_PORT = 60_999;

/** Logon and its reply, one message each way. */
const LOGON: Traffic = { messagesSent: 1, messagesReceived: 1, bytesSent: 96, bytesReceived: 128 };

/** All FIX gateways; what peers do comes from outside: through `logon`, `disconnect` and `exchange`, or over a port. */
export class FixDesk {
  readonly #gateways = new Map<string, FixGateway>();

  constructor(gateways: Installation["gateways"], clock: Clock, random: Chance) {
    for (const [name, entry] of Object.entries(gateways)) {
      const gateway = new FixGateway(name, entry, clock, random);
      this.#gateways.set(name, gateway);
      for (const { id, status } of entry.sessions) if (status === "Connected") gateway.logon(id);
    }
  }

  get all(): readonly FixGateway[] {
    return [...this.#gateways.values()];
  }

  /** Gateways at which orders come in, in the order of the installation. */
  get orderEntry(): readonly FixGateway[] {
    return this.all.filter(({ type }) => type === "OrderEntry");
  }

  /** Whether a FIX client has a session of this id: nothing else may then be its source of orders. */
  isOfClient(id: string): boolean {
    return this.all.some((gateway) => gateway.isOfClient(id));
  }

  gateway(name: string): FixGateway {
    const gateway = this.#gateways.get(name);
    if (!gateway) throw new EngineRejection("not-found", `Unknown FIX gateway "${name}"`);
    return gateway;
  }
}

class FixGateway implements PortGateway {
  readonly name: string;
  readonly type: Detail["gatewayType"];
  readonly #clock: Clock;
  readonly #random: Chance;
  readonly #sessions = new Map<string, FixSession>();
  #updateTimestamp: number;
  #acceptedConnections = 0;
  #rejectedConnections = 0;

  constructor(name: string, entry: Installation["gateways"][string], clock: Clock, random: Chance) {
    this.name = name;
    this.type = entry.type;
    this.#clock = clock;
    this.#random = random;
    this.#updateTimestamp = clock.now();
    const now = (): number => clock.now();
    const surroundings = { gatewayName: name, gateway: entry, now, updated: () => this.#update() };
    for (const session of entry.sessions) this.#sessions.set(session.id, new FixSession(surroundings, session));
  }

  get size(): number {
    return this.#sessions.size;
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

  isOfClient(id: string): boolean {
    return this.#sessions.get(id)?.client !== undefined;
  }

  recordOf(senderId: string, targetId: string): FixSession | undefined {
    return [...this.#sessions.values()].find((one) => one.senderId === senderId && one.targetId === targetId);
  }

  countConnection(isAccepted: boolean): void {
    if (isAccepted) this.#acceptedConnections += 1;
    else this.#rejectedConnections += 1;
    this.#update();
  }

  /** The simulated peer asks for a connection; says whether it was accepted. A connected session refuses a second one. */
  logon(id: string): boolean {
    const ephemeralPort = this.#random.whole(FIRST_EPHEMERAL_PORT, LAST_EPHEMERAL_PORT);
    const session = this.#find(id);
    const isAccepted = session.status === "Disconnected" && !session.client;
    this.countConnection(isAccepted);
    if (!isAccepted) return false;
    session.simulateConnection(ephemeralPort);
    session.simulateTraffic(LOGON);
    return true;
  }

  /** Drops the connection; the peer may log on again immediately. Without a connection nothing changes. */
  disconnect(id: string): SessionDetail | Promise<SessionDetail> {
    return this.#logout(this.#find(id), "Disconnected by an operator");
  }

  /** Drops the connection and refuses logons from now on. */
  disable(id: string): SessionDetail | Promise<SessionDetail> {
    const session = this.#find(id);
    this.#setDisabled(session, true);
    return this.#logout(session, "The session is disabled");
  }

  /** Lets a disabled session log on again; any other stays as it is. */
  enable(id: string): SessionDetail {
    const session = this.#find(id);
    this.#setDisabled(session, false);
    return session.detail();
  }

  /** Counts traffic with the simulated peer of a session; one without a connection has none. */
  exchange(id: string, traffic: Traffic): void {
    const session = this.#find(id);
    if (session.status === "Connected") session.simulateTraffic(traffic);
  }

  #setDisabled(session: FixSession, isDisabled: boolean): void {
    if (session.isDisabled === isDisabled) return;
    session.isDisabled = isDisabled;
    this.#update();
  }

  /** A FIX client is sent a Logout, and may reply; a simulated peer is gone immediately. */
  #logout(session: FixSession, text: string): SessionDetail | Promise<SessionDetail> {
    if (session.client) return session.client.logout(text).then(() => session.detail());
    session.disconnected();
    return session.detail();
  }

  #update(): void {
    this.#updateTimestamp = this.#clock.now();
  }

  #find(id: string): FixSession {
    const session = this.#sessions.get(id);
    if (!session) throw new EngineRejection("not-found", `Unknown FIX session "${id}" of gateway "${this.name}"`);
    return session;
  }
}
