import type { Output } from "../../core/operations/table.ts";
import type { ConnectionAddresses, SessionControl, SessionRecord } from "../fix/session-record.ts";
import type { Installation } from "./installation-schema.ts";

type Counter = keyof Traffic | "inboundSequence" | "outboundSequence";

/** The simulated engine knows all its counters. */
type Detail = Omit<Output<"getFixSession">, Counter> & Record<Counter, number>;
type GatewayEntry = Installation["gateways"][string];

/** Messages exchanged within one moment. */
export interface Traffic {
  readonly messagesSent: number;
  readonly messagesReceived: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

const NO_CONNECTION = { localIp: null, localPort: null, remoteIp: null, remotePort: null };

const NEW_SESSION = {
  inboundSequence: 1,
  outboundSequence: 1,
  connectTimestamp: null,
  disconnectTimestamp: null,
  messagesSent: 0,
  messagesReceived: 0,
  bytesSent: 0,
  bytesReceived: 0,
};

/** Notifications of a session to its gateway. */
interface Surroundings {
  readonly gatewayName: string;
  readonly gateway: GatewayEntry;
  now(): number;
  /** Something about the session has changed. */
  updated(): void;
}

/**
 * One FIX session. Its peer is simulated until a FIX client logs on to it; from then on it is the client's. Counters continue over all
 * connections; sequence numbers of a transient session with a simulated peer do not.
 */
export class FixSession implements SessionRecord {
  readonly id: string;
  readonly senderId: string;
  readonly targetId: string;
  isDisabled: boolean;
  /** Undefined while the peer is simulated. */
  client: SessionControl | undefined;
  readonly #surroundings: Surroundings;
  readonly #remote: Pick<GatewayEntry["sessions"][number], "remote-ip" | "remote-port">;
  #connection: ConnectionAddresses | undefined;
  readonly #state: Pick<Detail, keyof typeof NEW_SESSION> = { ...NEW_SESSION };

  constructor(surroundings: Surroundings, entry: GatewayEntry["sessions"][number]) {
    this.id = entry.id;
    this.senderId = entry.sender;
    this.targetId = entry.target;
    this.isDisabled = entry.status === "Disabled";
    this.#surroundings = surroundings;
    this.#remote = entry;
  }

  get status(): Detail["status"] {
    if (this.isDisabled) return "Disabled";
    return this.#connection ? "Connected" : "Disconnected";
  }

  /** Traffic over all connections. */
  get traffic(): Traffic {
    return this.#state;
  }

  get inboundSequence(): number {
    return this.#state.inboundSequence;
  }

  set inboundSequence(next: number) {
    this.#state.inboundSequence = next;
  }

  get outboundSequence(): number {
    return this.#state.outboundSequence;
  }

  set outboundSequence(next: number) {
    this.#state.outboundSequence = next;
  }

  summary(): Output<"listFixSessions">[number] {
    const { localPort, remoteIp, remotePort } = this.#addresses;
    const { inboundSequence, outboundSequence } = this.#state;
    return {
      gatewayName: this.#surroundings.gatewayName,
      sessionId: this.id,
      status: this.status,
      localPort,
      remoteIp,
      remotePort,
      inboundSequence,
      outboundSequence,
    };
  }

  detail(): Detail {
    return {
      gatewayName: this.#surroundings.gatewayName,
      sessionId: this.id,
      status: this.status,
      gatewayType: this.#surroundings.gateway.type,
      senderId: this.senderId,
      targetId: this.targetId,
      ...this.#addresses,
      ...this.#state,
    };
  }

  /** The addresses of the connection; a disabled session is shown without one while its peer is being logged out. */
  get #addresses(): ConnectionAddresses | typeof NO_CONNECTION {
    return (this.isDisabled ? undefined : this.#connection) ?? NO_CONNECTION;
  }

  takenBy(client: SessionControl): void {
    this.client = client;
    this.#connection = undefined;
    Object.assign(this.#state, NEW_SESSION);
  }

  connected(addresses: ConnectionAddresses): void {
    this.#connection = addresses;
    this.#state.connectTimestamp = this.#surroundings.now();
    this.#surroundings.updated();
  }

  disconnected(): void {
    if (!this.#connection) return;
    this.#connection = undefined;
    this.#state.disconnectTimestamp = this.#surroundings.now();
    this.#surroundings.updated();
  }

  received(bytes: number): void {
    this.#state.messagesReceived += 1;
    this.#state.bytesReceived += bytes;
    this.#surroundings.updated();
  }

  sent(bytes: number): void {
    this.#state.messagesSent += 1;
    this.#state.bytesSent += bytes;
    this.#surroundings.updated();
  }

  /** The simulated peer connects; `ephemeralPort` serves the side whose port the installation does not fix. */
  simulateConnection(ephemeralPort: number): void {
    const { gateway } = this.#surroundings;
    // Order entry sessions keep no store to resend from: their numbers begin anew with each logon.
    if (gateway.type === "OrderEntry") Object.assign(this.#state, { inboundSequence: 1, outboundSequence: 1 });
    this.connected({
      localIp: gateway["local-ip"],
      localPort: gateway["local-port"] ?? ephemeralPort,
      remoteIp: this.#remote["remote-ip"],
      remotePort: this.#remote["remote-port"] ?? ephemeralPort,
    });
  }

  simulateTraffic(traffic: Traffic): void {
    const state = this.#state;
    state.messagesSent += traffic.messagesSent;
    state.messagesReceived += traffic.messagesReceived;
    state.bytesSent += traffic.bytesSent;
    state.bytesReceived += traffic.bytesReceived;
    state.outboundSequence += traffic.messagesSent;
    state.inboundSequence += traffic.messagesReceived;
    this.#surroundings.updated();
  }
}
