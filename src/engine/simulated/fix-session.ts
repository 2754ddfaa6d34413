import type { Output } from "../../core/operations/table.ts";
import type { Installation } from "./installation-schema.ts";

type Counter = keyof Traffic | "inboundSequence" | "outboundSequence";

/** The simulated engine knows all its counters. */
type Detail = Omit<Output<"getFixSession">, Counter> & Record<Counter, number>;
type GatewayEntry = Installation["gateways"][string];

/** Addresses of a connection; those of a session without one are `null`. */
type Connection = Pick<Detail, "localIp" | "localPort" | "remoteIp" | "remotePort">;

/** Messages exchanged within one moment. */
export interface Traffic {
  readonly messagesSent: number;
  readonly messagesReceived: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

const NO_CONNECTION: Connection = { localIp: null, localPort: null, remoteIp: null, remotePort: null };

/** One FIX session. Its counters continue over all connections; sequence numbers of a transient session do not. */
export class FixSession {
  readonly #entry: GatewayEntry["sessions"][number];
  readonly #gateway: GatewayEntry;
  readonly #detail: Detail;

  constructor(gatewayName: string, gateway: GatewayEntry, entry: GatewayEntry["sessions"][number]) {
    this.#entry = entry;
    this.#gateway = gateway;
    this.#detail = {
      gatewayName,
      sessionId: entry.id,
      status: entry.status === "Disabled" ? "Disabled" : "Disconnected",
      inboundSequence: 1,
      outboundSequence: 1,
      gatewayType: gateway.type,
      senderId: entry.sender,
      targetId: entry.target,
      ...NO_CONNECTION,
      connectTimestamp: null,
      disconnectTimestamp: null,
      messagesSent: 0,
      messagesReceived: 0,
      bytesSent: 0,
      bytesReceived: 0,
    };
  }

  get status(): Detail["status"] {
    return this.#detail.status;
  }

  /** What was exchanged over all connections. */
  get traffic(): Traffic {
    return this.#detail;
  }

  summary(): Output<"listFixSessions">[number] {
    const { gatewayName, sessionId, status, localPort, remoteIp, remotePort, inboundSequence, outboundSequence } =
      this.#detail;
    return { gatewayName, sessionId, status, localPort, remoteIp, remotePort, inboundSequence, outboundSequence };
  }

  detail(): Detail {
    return { ...this.#detail };
  }

  /** Connects at `now`; `ephemeralPort` serves the side whose port the installation does not fix. */
  connect(now: number, ephemeralPort: number): void {
    // Order entry sessions keep no store to resend from: their numbers begin anew with each logon.
    const fresh = this.#gateway.type === "OrderEntry" ? { inboundSequence: 1, outboundSequence: 1 } : {};
    Object.assign(this.#detail, fresh, {
      status: "Connected",
      connectTimestamp: now,
      localIp: this.#gateway["local-ip"],
      localPort: this.#gateway["local-port"] ?? ephemeralPort,
      remoteIp: this.#entry["remote-ip"],
      remotePort: this.#entry["remote-port"] ?? ephemeralPort,
    } satisfies Partial<Detail>);
  }

  /** Drops the connection, if there is one, and leaves the session in `status`. */
  drop(status: "Disconnected" | "Disabled", now: number): void {
    const lost = this.status === "Connected" ? { ...NO_CONNECTION, disconnectTimestamp: now } : {};
    Object.assign(this.#detail, lost, { status } satisfies Partial<Detail>);
  }

  /** Counts traffic of the connection. */
  exchange(traffic: Traffic): void {
    const detail = this.#detail;
    detail.messagesSent += traffic.messagesSent;
    detail.messagesReceived += traffic.messagesReceived;
    detail.bytesSent += traffic.bytesSent;
    detail.bytesReceived += traffic.bytesReceived;
    detail.outboundSequence += traffic.messagesSent;
    detail.inboundSequence += traffic.messagesReceived;
  }
}
