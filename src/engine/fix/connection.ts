import { once } from "node:events";
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { anonymousCaller } from "../../core/load/caller-queue.ts";
import type { Gate } from "../../core/load/gate.ts";
import type { ClientSession, Link } from "./client-session.ts";
import { Framer, MAX_MESSAGE } from "./framer.ts";
import type { FixMessage } from "./message.ts";
import type { ConnectionAddresses } from "./session-record.ts";

/** How long a connection may take for its Logon. */
const LOGON_WAIT_MS = 10_000;

/** How long the peer may take to close a connection that was ended. */
const CLOSE_WAIT_MS = 1_000;

/** Unread bytes of a peer: from this many on its messages wait, and beyond the second it is dropped. */
const UNREAD_BYTES = 65_536;
const MAX_UNREAD_BYTES = 1_048_576;

/** Dependencies of a connection on its port. */
export interface Doors {
  /** Finds the session of the first message, and logs it on; undefined when the connection has been refused and ended. */
  logon(link: Link, message: FixMessage): ClientSession | undefined;
  readonly clock: Clock;
  /** Decides when messages are taken: they must not delay a halt. */
  readonly gate: Gate;
  /** Resolves when commands that came before have been applied; undefined when they have. */
  readonly settled: () => Promise<void> | undefined;
}

/** One TCP connection: takes its bytes in turns of the gate, and bounds what waits in either direction. */
export class FixConnection implements Link {
  readonly addresses: ConnectionAddresses;
  readonly #socket: Socket;
  readonly #doors: Doors;
  readonly #framer = new Framer();
  #session: ClientSession | undefined;
  #isClosed = false;

  constructor(socket: Socket, doors: Doors) {
    this.#socket = socket;
    this.#doors = doors;
    const { localAddress, localPort = 0, remoteAddress, remotePort = 0 } = socket;
    this.addresses = { localIp: plain(localAddress), localPort, remoteIp: plain(remoteAddress), remotePort };
    socket.setNoDelay(true);
    // A reset ends the connection as an end does; reading rejects with it as well.
    socket.on("error", () => {});
    socket.once("close", () => this.#ended());
  }

  /** Reads until the connection ends. Never rejects for what a peer does. */
  async serve(): Promise<void> {
    const endWait = this.#doors.clock.schedule(LOGON_WAIT_MS, () => this.#session ?? this.#socket.destroy());
    try {
      for (let chunk = await this.#nextChunk(); chunk; chunk = await this.#nextChunk()) {
        this.#framer.push(chunk);
        await this.#takeMessages();
        if (!this.#session && this.#socket.bytesRead > MAX_MESSAGE) this.#socket.destroy();
      }
    } finally {
      endWait();
      this.close();
    }
  }

  write(message: Buffer): void {
    this.#socket.write(message);
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#socket.destroy();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), CLOSE_WAIT_MS).unref();
  }

  /** Remaining input is dropped: the session may be disabled by now, or have another connection that is asked for it. */
  #ended(): void {
    this.#isClosed = true;
    this.#session?.lost(this);
  }

  /**
   * What comes next; undefined when the connection has ended. Of one that was closed here it is read and dropped: a reset could take the
   * Logout away from a peer that has not read it yet.
   */
  async #nextChunk(): Promise<Buffer | undefined> {
    const socket = this.#socket;
    while (!socket.destroyed && !socket.readableEnded) {
      const chunk: Buffer | null = socket.read();
      if (!chunk) await firstOf(socket, "readable", "end", "close");
      else if (!this.#isClosed) return chunk;
    }
    return undefined;
  }

  /** Takes what has come so far, as fast as the peer reads what it is sent. */
  async #takeMessages(): Promise<void> {
    const turns = this.#doors.gate.turns(anonymousCaller(`FIX ${this.addresses.remoteIp}`));
    for (let isMore = true; isMore; ) {
      if (turns.isOver()) await turns.next();
      const waits = this.#doors.settled() ?? this.#drained();
      if (waits) await waits;
      else isMore = this.#takeNext();
    }
  }

  /** Resolves once the peer has read what it was sent; undefined while it keeps up. */
  #drained(): Promise<void> | undefined {
    if (this.#isClosed || this.#socket.writableLength <= UNREAD_BYTES) return undefined;
    return firstOf(this.#socket, "drain", "close");
  }

  /** Sends a message that is due, or takes the next one; false when more bytes are needed. */
  #takeNext(): boolean {
    if (this.#isClosed) return false;
    if (this.#session?.sendDue()) return true;
    const message = this.#framer.next();
    if (message !== undefined) this.#take(message);
    return message !== undefined;
  }

  #take(message: FixMessage | "garbled"): void {
    if (message === "garbled") {
      // Only a Logon is awaited: anything else is refused immediately.
      if (!this.#session) this.close();
    } else if (this.#session) this.#session.receive(message);
    else this.#session = this.#doors.logon(this, message);
  }
}

/** Resolves with the first of the events. */
async function firstOf(socket: Socket, ...events: readonly string[]): Promise<void> {
  const others = new AbortController();
  try {
    await Promise.race(events.map((event) => once(socket, event, { signal: others.signal })));
  } catch {
    // An error is followed by "close", which ends the loop that waits.
  } finally {
    others.abort();
  }
}

/** An IPv4 address as such, also on a socket for both families. */
function plain(address = ""): string {
  return address.replace(/^::ffff:(?=\d+\.)/, "");
}
