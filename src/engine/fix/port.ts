import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { throwUncaught } from "../../core/values/basics.ts";
import { type Application, ClientSession, type Link } from "./client-session.ts";
import { type Doors, FixConnection } from "./connection.ts";
import { encodeFields, type FixMessage, frame, TAG, utcTimestamp } from "./message.ts";
import type { SessionRecord } from "./session-record.ts";

/** Connections beyond one for each session: those that have not logged on yet, or are being closed. */
const SPARE_CONNECTIONS = 64;

/** The gateway whose sessions log on at a port. */
export interface PortGateway {
  readonly name: string;
  /** Number of its sessions. */
  readonly size: number;
  /** The session between two CompIDs. */
  recordOf(senderId: string, targetId: string): SessionRecord | undefined;
  /** Counts a connection by what happened to its logon. */
  countConnection(isAccepted: boolean): void;
}

export interface PortParts extends Omit<Doors, "logon"> {
  readonly application: Application;
}

export interface FixPort {
  readonly gateway: string;
  /** Address that it listens on. */
  readonly host: string;
  readonly port: number;
}

/** Listens for the FIX clients of one gateway. */
export class FixAcceptor {
  readonly #gateway: PortGateway;
  readonly #parts: PortParts;
  readonly #server: Server;
  readonly #connections = new Set<FixConnection>();
  readonly #sessions = new Map<string, ClientSession>();

  constructor(gateway: PortGateway, parts: PortParts) {
    this.#gateway = gateway;
    this.#parts = parts;
    this.#server = createServer((socket) => this.#serve(socket));
    this.#server.maxConnections = gateway.size + SPARE_CONNECTIONS;
    this.#server.on("drop", () => gateway.countConnection(false));
  }

  /** Opens the port, 0 for a free one. Rejects with the error of `node:net`. */
  async listen(host: string, port: number): Promise<FixPort> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    return { gateway: this.#gateway.name, host, port: (this.#server.address() as AddressInfo).port };
  }

  /** Logs all sessions out and closes the port. */
  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, "close") : undefined;
    this.#server.close();
    await Promise.all([...this.#sessions.values()].map((session) => session.logout("The engine is being stopped")));
    for (const connection of this.#connections) connection.close();
    await closed;
  }

  #serve(socket: Socket): void {
    const { clock, gate, settled } = this.#parts;
    const logon = (link: Link, message: FixMessage): ClientSession | undefined => this.#logon(link, message);
    const connection = new FixConnection(socket, { clock, gate, settled, logon });
    this.#connections.add(connection);
    socket.once("close", () => this.#connections.delete(connection));
    connection.serve().catch(throwUncaught);
  }

  #logon(link: Link, message: FixMessage): ClientSession | undefined {
    const session = message.type === "A" ? this.#sessionOf(link, message) : undefined;
    const isAccepted = session?.logon(link, message) === true;
    this.#gateway.countConnection(isAccepted);
    if (!isAccepted) link.close();
    return isAccepted ? session : undefined;
  }

  /** The session that a Logon is for; undefined where it has a connection already, which a second one must not disturb. */
  #sessionOf(link: Link, message: FixMessage): ClientSession | undefined {
    const [engine = "", client = ""] = [message.get(TAG.TargetCompID), message.get(TAG.SenderCompID)];
    const record = this.#gateway.recordOf(engine, client);
    if (!record) {
      link.write(unknownSession(this.#gateway.name, engine, client));
      return undefined;
    }
    const session = this.#sessions.get(record.id) ?? this.#begin(record);
    return session.hasConnection ? undefined : session;
  }

  #begin(record: SessionRecord): ClientSession {
    const session = new ClientSession(record, this.#parts.clock, this.#parts.application);
    this.#sessions.set(record.id, session);
    record.takenBy(session);
    return session;
  }
}

/** A Logout that is of no session, so that whoever mistyped a CompID can see it. */
function unknownSession(gateway: string, engine: string, client: string): Buffer {
  const text = `${gateway} has no session with SenderCompID "${client}" and TargetCompID "${engine}"`;
  return frame(
    encodeFields([
      [TAG.MsgType, "5"],
      [TAG.SenderCompID, engine],
      [TAG.TargetCompID, client],
      [TAG.MsgSeqNum, 1],
      [TAG.SendingTime, utcTimestamp(Date.now())],
      [TAG.Text, text],
    ]),
  );
}
