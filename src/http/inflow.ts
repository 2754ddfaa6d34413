import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Gate, Urgency } from "../core/load/gate.ts";
import { LONG_BODY } from "./json-body.ts";
import { type Filtered, filterReads, isReset, parserOf, replaceClose } from "./node-internals.ts";

/** Requests of one connection that are served concurrently. */
const MAX_UNDER_WAY = 4;

/** Further requests of one connection that may wait. If more arrive, these are served and the connection is closed. */
const MAX_PIPELINED = 64;

/** Longest piece parsed at a time when its content is unknown: it may be many small requests. */
const PIECE_BYTES = 4 * 1024;

/** Bytes that may wait on all connections without a user. Above the limit, connections are closed. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** How long a closing connection is still read: unread bytes would cost its caller the last response. */
const LINGER_MS = 1_000;

const END_OF_HEAD = Buffer.from("\r\n\r\n");

const INFLOW = Symbol("inflow");

interface GuardedSocket extends Socket {
  [INFLOW]?: Inflow;
}

/** Rules and state shared by the connections of a server. */
export interface InflowRules {
  readonly gate: Gate;
  /** Whether bytes begin with the line of a request for a stop. */
  readonly isStop: (bytes: Buffer) => boolean;
  /** The origin of a connection. */
  readonly originOf: (socket: Socket) => string;
  /** The caller of a connection until a user has logged in over it: its origin, unless that is a trusted proxy. */
  readonly callerAt: (socket: Socket) => string;
  /** Bytes waiting on all connections without a user. */
  waitingBytes: number;
  /** The latest read of a closing connection; the next one follows it. */
  discarding: Promise<void>;
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
 * caller's turn; while more than a few bytes wait, no more are read (backpressure).
 */
class Inflow {
  readonly #socket: Socket;
  readonly #rules: InflowRules;
  readonly #origin: string;
  #caller: string;
  #isUser = false;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #endIsHandedOn = false;
  /** Waiting for a turn. */
  #queued = false;
  /** The parser asked for more while bytes were waiting. */
  #wanted = false;
  /** Whether the reader of the connection has room for more. */
  #hasRoom = true;
  #state: "guarded" | "released" | "closing" = "released";
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
    this.#reader = filterReads(socket, {
      take: (chunk) => this.#take(chunk),
      mayRead: () => {
        this.#wanted = this.#chunks.length > 0;
        return !this.#wanted;
      },
    });
    socket.on("resume", () => this.#advance());
    socket.once("close", () => this.#forgetWaiting());
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
    this.#chunks.unshift(bytes);
    this.#count(bytes.length);
    return true;
  }

  callerIs(user: string): void {
    if (!this.#isUser) this.#rules.waitingBytes -= this.#bytes;
    this.#caller = user;
    this.#isUser = true;
  }

  began(request: IncomingMessage, response: ServerResponse): void {
    this.#latest = request;
    this.#bodyBytes = 0;
    this.#underWay.add(response);
    response.once("close", () => {
      this.#underWay.delete(response);
      if (this.#underWay.size === MAX_UNDER_WAY - 1 && this.#chunks.length > 0) this.#pipelined += 1;
      if (this.#state === "closing") this.#endIfDone();
      else this.#advance();
    });
  }

  #take(chunk: Buffer | null): boolean {
    if (this.#state === "closing") return this.#discard();
    if (chunk === null) this.#ended = true;
    else this.#keep(chunk);
    this.#advance();
    if (this.#chunks.length === 0) return this.#hasRoom;
    if (!this.#isUser && this.#urgency() !== "stop" && isReset(this.#socket)) this.#socket.destroy();
    return this.#mayReadOn;
  }

  /**
   * Whether to read on while bytes wait. To stop for a single small request, and begin again, would be two system calls more for it. A
   * stop is safe from what comes behind it, such as a reset of the connection.
   */
  get #mayReadOn(): boolean {
    return this.#hasRoom && this.#bytes < PIECE_BYTES && !this.#latestIsStop;
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#count(chunk.length);
    if (!this.#isUser && this.#rules.waitingBytes > MAX_WAITING_BYTES) this.#socket.destroy();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#isUser) this.#rules.waitingBytes += bytes;
  }

  /** Hands on as much as possible, and asks for a turn for the rest. */
  #advance(): void {
    while (this.#mayHandOn()) {
      let atOnce = true;
      this.#queued = true;
      this.#rules.gate.run(this.#caller, this.#urgency(), () => {
        this.#queued = false;
        this.#handOn();
        if (!atOnce) this.#advance();
      });
      atOnce = false;
      if (this.#queued) return;
    }
    if (this.#chunks.length > 0) return;
    this.#pipelined = 0;
    this.#readOn();
  }

  #mayHandOn(): boolean {
    if (this.#queued || this.#chunks.length === 0 || this.#socket.destroyed) return false;
    if (this.#state !== "guarded") return this.#state === "released";
    if (this.#socket.isPaused()) return false;
    return this.#underWay.size < MAX_UNDER_WAY || this.#inBody;
  }

  get #inBody(): boolean {
    return this.#latest !== undefined && !this.#latest.complete;
  }

  #urgency(): Urgency {
    if (this.#state === "released") return "other";
    if (!this.#inBody) {
      const [chunk] = this.#chunks;
      this.#latestIsStop = chunk !== undefined && this.#rules.isStop(chunk);
    } else if (this.#bodyBytes >= LONG_BODY) {
      return "other";
    }
    return this.#latestIsStop ? this.#rules.gate.stopUrgency(this.#isUser ? this.#caller : this.#origin) : "other";
  }

  #handOn(): void {
    const [chunk] = this.#chunks;
    if (!chunk || this.#socket.destroyed) return;
    const wasInBody = this.#inBody;
    const size = this.#state === "released" ? chunk.length : Math.min(chunk.length, this.#sizeOfNext(chunk));
    if (size === chunk.length) this.#chunks.shift();
    else this.#chunks[0] = chunk.subarray(size);
    this.#count(-size);
    if (wasInBody) this.#bodyBytes += size;
    const before = this.#latest;
    this.#hasRoom = this.#reader.push(size === chunk.length ? chunk : chunk.subarray(0, size));
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

  /** Ends the connection after the responses under way; further input is discarded. */
  #close(): void {
    this.#state = "closing";
    this.#forgetWaiting();
    replaceClose(this.#socket, () => this.#linger());
    const last = [...this.#underWay].at(-1);
    if (last && !last.headersSent) last.shouldKeepAlive = false;
    this.#endIfDone();
  }

  /**
   * Forgets what has come, and once nothing is under way reads on: one read of all closing connections in a turn, since the kernel
   * needs most of the core to receive it at full speed.
   */
  #discard(): false {
    const { gate } = this.#rules;
    const readOn = async (): Promise<void> => {
      await gate.endOfTurn();
      await gate.resume(this.#origin);
      this.#reader.read();
    };
    if (this.#underWay.size === 0) this.#rules.discarding = this.#rules.discarding.then(readOn);
    return false;
  }

  #endIfDone(): void {
    if (this.#underWay.size === 0) this.#linger();
  }

  #linger(): void {
    this.#socket.end();
    this.#reader.read();
    this.#rules.gate.after(LINGER_MS, this.#origin, "other", () => void this.#socket.destroy());
  }

  #forgetWaiting(): void {
    this.#count(-this.#bytes);
    this.#chunks = [];
  }
}
