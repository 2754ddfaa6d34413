import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Quota } from "../core/load/quota.ts";
import type { Urgency } from "../core/load/stop-priority.ts";
import { Backlog } from "./backlog.ts";
import { ClosingConnection, type ClosingRules } from "./closing-connection.ts";
import { LONG_BODY } from "./json-body.ts";
import { type Filtered, filterReads, isReset, parserOf } from "./node-internals.ts";

/** Requests of one connection that are served concurrently. */
const MAX_UNDER_WAY = 4;

/** Further requests of one connection that may wait. If more arrive, these are served and the connection is closed. */
const MAX_PIPELINED = 64;

/** Longest read behind which the socket is still read. */
const SMALL_BYTES = 4 * 1024;

/** Longest piece parsed at a time when its content is unknown: it may be many small requests. */
const PIECE_BYTES = 4 * 1024;

const END_OF_HEAD = Buffer.from("\r\n\r\n");

const G = 0x47;

const INFLOW = Symbol("inflow");

interface GuardedSocket extends Socket {
  [INFLOW]?: Inflow;
}

/** Rules and state shared by the connections of a server. */
export interface InflowRules extends ClosingRules {
  /** Whether bytes begin with the line of a request for a stop. */
  readonly isStop: (bytes: Buffer) => boolean;
  /** The origin of a connection. */
  readonly originOf: (socket: Socket) => string;
  /** The caller of a connection until a user has logged in over it: its origin, unless that is a trusted proxy. */
  readonly callerAt: (socket: Socket) => string;
  /** Bytes that wait on connections without a user. */
  readonly waiting: Quota;
}

/** Applies the rules to the bytes of a connection; call it after the server's own listener. */
export function guardConnection(socket: GuardedSocket, rules: InflowRules): void {
  socket[INFLOW] ??= new Inflow(socket, rules);
  socket[INFLOW].attach();
}

/** Notes that a request of a guarded connection has been parsed. */
export function requestBegan(request: IncomingMessage, response: ServerResponse): void {
  (request.socket as GuardedSocket)[INFLOW]?.began(request, response);
}

/** Makes the user, not the origin, the caller of a connection. */
export function callerIsUser(socket: GuardedSocket, user: string): void {
  socket[INFLOW]?.callerIs(user);
}

/**
 * Takes back bytes that were handed on and that no reader has had: they reach the next parser in turns, too. False if the connection
 * has no guard, or the end of its bytes has been handed on.
 */
export function guardAgain(socket: GuardedSocket, bytes: Buffer): boolean {
  return socket[INFLOW]?.takeBack(bytes) ?? false;
}

/**
 * The bytes of one connection on their way to the HTTP parser of its server. The parser gets one head at a time, at the
 * caller's turn; while more than a small read waits, no more are read (backpressure).
 */
class Inflow {
  readonly #socket: Socket;
  readonly #rules: InflowRules;
  readonly #origin: string;
  #caller: string;
  #isUser = false;
  readonly #backlog: Backlog;
  #ended = false;
  #endIsHandedOn = false;
  /** Waiting for a turn. */
  #queued = false;
  /** The parser asked for more while bytes were waiting. */
  #wanted = false;
  /** Whether the reader of the connection has room for more. */
  #hasRoom = true;
  #state: "guarded" | "released" = "released";
  #closing: ClosingConnection | undefined;
  /** The parser's listener. */
  #parse: unknown;
  readonly #underWay = new Set<ServerResponse>();
  /** Requests of this connection that had to wait for others, since its queue was last empty. */
  #pipelined = 0;
  #latest: IncomingMessage | undefined;
  #latestIsStop = false;
  /** Bytes of the latest request's body that the parser has had. */
  #bodyBytes = 0;
  readonly #reader: Filtered;

  constructor(socket: Socket, rules: InflowRules) {
    this.#socket = socket;
    this.#rules = rules;
    this.#origin = rules.originOf(socket);
    this.#caller = rules.callerAt(socket);
    this.#backlog = new Backlog(rules.waiting, this.#caller);
    this.#reader = filterReads(socket, {
      take: (chunk) => this.#take(chunk),
      mayRead: () => {
        this.#wanted = !this.#backlog.isEmpty;
        return !this.#wanted;
      },
    });
    socket.on("resume", () => this.#advance());
    socket.once("close", () => this.#backlog.clear());
  }

  /** Filters the input of the current parser of the socket. */
  attach(): void {
    const parser = parserOf(this.#socket);
    if (!parser) return;
    this.#parse = parser;
    this.#state = "guarded";
    this.#latest = undefined;
  }

  takeBack(bytes: Buffer): boolean {
    if (this.#endIsHandedOn) return false;
    if (!this.#closing) this.#backlog.putBack(bytes);
    return true;
  }

  callerIs(user: string): void {
    this.#backlog.uncount();
    this.#caller = user;
    this.#isUser = true;
  }

  began(request: IncomingMessage, response: ServerResponse): void {
    this.#latest = request;
    this.#bodyBytes = 0;
    this.#underWay.add(response);
    response.once("close", () => {
      this.#underWay.delete(response);
      if (this.#underWay.size === MAX_UNDER_WAY - 1 && !this.#backlog.isEmpty) this.#pipelined += 1;
      if (this.#closing) this.#closing.endIfDone();
      else this.#advance();
    });
  }

  #take(chunk: Buffer | null): boolean {
    if (this.#closing) {
      this.#closing.discard();
      return false;
    }
    if (chunk === null) this.#ended = true;
    else this.#keep(chunk);
    this.#advance();
    if (this.#backlog.isEmpty) return this.#hasRoom;
    if (!this.#isUser && this.#urgencyOf(this.#backlog.first) !== "stop" && isReset(this.#socket))
      this.#socket.destroy();
    return this.#mayReadOn;
  }

  #keep(chunk: Buffer): void {
    const { length } = chunk;
    const hasRoom = this.#backlog.hasRoom(length, false);
    const isStop = (): boolean => this.#urgencyOf(this.#backlog.first ?? chunk) !== "other";
    if (hasRoom || (isStop() && this.#backlog.hasRoom(length, true))) this.#backlog.add(chunk);
    else this.#socket.destroy();
  }

  /**
   * Whether to read on while bytes wait. To stop for a single small read, and begin again, would be two system calls more for it. What
   * comes behind a command, such as a reset of the connection, is not noticed before the command has been handed on.
   */
  get #mayReadOn(): boolean {
    const { only } = this.#backlog;
    return this.#hasRoom && only !== undefined && !this.#inBody && isOneRead(only);
  }

  /** Hands on as much as possible, and asks for a turn for the rest. */
  #advance(): void {
    while (this.#mayHandOn()) {
      let atOnce = true;
      this.#queued = true;
      this.#rules.gate.run(this.#caller, this.#urgencyOf(this.#backlog.first), () => {
        this.#queued = false;
        this.#handOn();
        if (!atOnce) this.#advance();
      });
      atOnce = false;
      if (this.#queued) return;
    }
    if (!this.#backlog.isEmpty) return;
    this.#pipelined = 0;
    this.#readOn();
  }

  #mayHandOn(): boolean {
    if (this.#queued || this.#backlog.isEmpty || this.#socket.destroyed) return false;
    if (this.#state === "released") return true;
    if (this.#socket.isPaused()) return false;
    return this.#underWay.size < MAX_UNDER_WAY || this.#inBody;
  }

  get #inBody(): boolean {
    return this.#latest !== undefined && !this.#latest.complete;
  }

  /** Urgency of the bytes that come next. */
  #urgencyOf(chunk: Buffer | undefined): Urgency {
    if (this.#state === "released") return "other";
    if (!this.#inBody) {
      this.#latestIsStop = chunk !== undefined && this.#rules.isStop(chunk);
    } else if (this.#bodyBytes >= LONG_BODY) {
      return "other";
    }
    if (!this.#latestIsStop) return "other";
    return this.#rules.gate.stopPriority.urgency(this.#isUser ? this.#caller : this.#origin);
  }

  #handOn(): void {
    const { first } = this.#backlog;
    if (!first || this.#socket.destroyed) return;
    const bytes = this.#backlog.take(this.#state === "released" ? first.length : this.#sizeOfNext(first));
    if (this.#inBody) this.#bodyBytes += bytes.length;
    const before = this.#latest;
    this.#hasRoom = this.#reader.push(bytes);
    // Bytes that began no request may have been an upgrade, or its end: another reader takes over.
    if (this.#latest === before && !this.#inBody) this.#checkReleased();
    if (this.#pipelined > MAX_PIPELINED && !this.#inBody) this.#close();
  }

  #checkReleased(): void {
    const reads = this.#socket.listeners("data").some((listener) => listener === this.#parse);
    if (!reads && this.#state === "guarded") this.#state = "released";
  }

  /** Size of a whole head, of the rest of a body, or else of a piece. */
  #sizeOfNext(chunk: Buffer): number {
    if (this.#inBody) {
      const left = Number(this.#latest?.headers["content-length"]) - this.#bodyBytes;
      return left > 0 ? left : PIECE_BYTES;
    }
    const end = chunk.indexOf(END_OF_HEAD);
    return end < 0 ? PIECE_BYTES : end + END_OF_HEAD.length;
  }

  #readOn(): void {
    if (this.#ended && !this.#socket.destroyed) {
      this.#ended = false;
      this.#endIsHandedOn = true;
      this.#reader.push(null);
      this.#socket.read(0);
    } else if (this.#wanted) {
      this.#wanted = false;
      this.#reader.read();
    }
  }

  #close(): void {
    this.#backlog.clear();
    this.#closing = new ClosingConnection({
      socket: this.#socket,
      reader: this.#reader,
      origin: this.#origin,
      underWay: this.#underWay,
      rules: this.#rules,
    });
    this.#closing.endIfDone();
  }
}

/** Whether bytes are one small request for a read and nothing else, and hold no more memory than that. */
function isOneRead(bytes: Buffer): boolean {
  if (bytes[0] !== G || bytes.buffer.byteLength > SMALL_BYTES) return false;
  const end = bytes.indexOf(END_OF_HEAD);
  return end >= 0 && end + END_OF_HEAD.length === bytes.length;
}
