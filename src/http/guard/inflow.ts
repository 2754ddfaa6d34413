import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestArrival } from "../../core/calls/call.ts";
import type { Quota } from "../../core/load/quota.ts";
import type { Priority } from "../../core/load/stop-priority.ts";
import { Backlog } from "./backlog.ts";
import { ClosingConnection, type ClosingRules } from "./closing-connection.ts";
import { type Filtered, filterReads, isReset, parserOf } from "./node-internals.ts";
import { ParsedParts } from "./parsed-parts.ts";
import { type GuardedRequest, isOneRead, onStopEnded, type Piece, RequestAtHand } from "./request.ts";

/** Requests of one connection that are served concurrently. */
const MAX_IN_PROGRESS = 4;

/** Further requests of one connection that may wait. If more arrive, these are served and the connection is closed. */
const MAX_PIPELINED = 64;

/** Rules and state shared by the connections of a server. */
export interface InflowRules extends ClosingRules {
  /** Whether bytes begin with the line of a request for a stop. */
  readonly isStop: (bytes: Buffer) => boolean;
  readonly originOf: (socket: Socket) => string;
  /** The caller of a connection until a user has logged in over it: its origin, unless that is a trusted proxy. */
  readonly callerAt: (socket: Socket) => string;
  /** Bytes that wait, by caller. */
  readonly waiting: Quota;
  /** Large heads of requests in progress, by caller. */
  readonly heads: Quota;
  /** Notes an arrival. */
  readonly arrive: () => RequestArrival;
}

/**
 * The bytes of one connection on their way to the HTTP parser of its server. The parser gets one head at a time, at the
 * caller's turn; while more than a small read waits, no more are read (backpressure).
 */
export class Inflow {
  readonly #socket: Socket;
  readonly #rules: InflowRules;
  readonly #origin: string;
  /** The connection as a caller, until a user has logged in over it. */
  readonly #place: string;
  #user: string | undefined;
  readonly #backlog: Backlog;
  readonly #parsed: ParsedParts;
  #ended = false;
  #endIsHandedOn = false;
  /** Waiting for a turn. */
  #queued = false;
  /** The parser asked for more while bytes were waiting. */
  #wanted = false;
  /** Whether the reader of the connection has room for more. */
  #hasRoom = true;
  #closing: ClosingConnection | undefined;
  /** The parser's listener; undefined while no parser reads the connection. */
  #parse: unknown;
  /** Arrival of the next bytes, if they have waited. */
  #arrivalOfNext: RequestArrival | undefined;
  readonly #inProgress = new Set<ServerResponse>();
  /** Requests of this connection that had to wait for others, since its queue was last empty. */
  #pipelined = 0;
  readonly #request: RequestAtHand;
  readonly #reader: Filtered;

  constructor(socket: Socket, rules: InflowRules, arrival?: RequestArrival) {
    this.#socket = socket;
    this.#arrivalOfNext = arrival;
    this.#rules = rules;
    this.#origin = rules.originOf(socket);
    this.#place = rules.callerAt(socket);
    this.#request = new RequestAtHand(rules.isStop);
    this.#backlog = new Backlog(rules.waiting, this.#place);
    this.#parsed = new ParsedParts(rules.heads, this.#place);
    this.#reader = filterReads(socket, {
      take: (chunk) => this.#take(chunk),
      mayRead: () => {
        this.#wanted = !this.#backlog.isEmpty;
        return !this.#wanted;
      },
    });
    socket.on("resume", () => this.#advance());
    socket.once("close", () => {
      this.#backlog.clear();
      this.#parsed.clear();
    });
  }

  /** Filters the input of the current parser of the socket. */
  attach(): void {
    const parser = parserOf(this.#socket);
    if (!parser) return;
    this.#parse = parser;
    this.#request.reset();
  }

  takeBack(bytes: Buffer): boolean {
    if (this.#endIsHandedOn) return false;
    if (!this.#closing) this.#backlog.putBack({ bytes, arrival: this.#request.arrival ?? this.#rules.arrive() });
    return true;
  }

  get #isOfUser(): boolean {
    return this.#user !== undefined;
  }

  callerIs(user: string | undefined): void {
    if (this.#user === user) return;
    this.#user = user;
    this.#backlog.countFor(this.#caller);
  }

  get #caller(): string {
    return this.#user ?? this.#place;
  }

  /** The caller whose stops are counted: behind a proxy the connection, which may carry stops of many users. */
  get #stopper(): string {
    return this.#place === this.#origin ? this.#caller : this.#place;
  }

  began(request: GuardedRequest, response: ServerResponse): void {
    this.#request.began(request);
    this.#inProgress.add(response);
    this.#parsed.began(request, response, () => this.#request.answered(request));
    if (this.#request.isStop) this.#watchStop(request, response);
    response.once("close", () => {
      this.#inProgress.delete(response);
      if (this.#inProgress.size === MAX_IN_PROGRESS - 1 && !this.#backlog.isEmpty) this.#pipelined += 1;
      if (this.#closing) this.#closing.endIfDone();
      else this.#advance();
    });
  }

  /** Counts requests that looked like stops but were not, and behind a proxy also stops of unauthenticated callers. */
  #watchStop(request: GuardedRequest, response: ServerResponse): void {
    const { stopPriority } = this.#rules.gate;
    let isStop = false;
    onStopEnded(request, (isUnknown) => {
      isStop = true;
      if (isUnknown && this.#place !== this.#origin) stopPriority.refused(this.#place);
    });
    response.once("close", () => {
      if (!isStop && response.writableFinished && response.statusCode >= 400) stopPriority.refused(this.#stopper);
    });
  }

  #take(chunk: Buffer | null): boolean {
    if (this.#closing) {
      this.#closing.discard();
      return false;
    }
    if (chunk === null) this.#ended = true;
    else if (!this.#keep(chunk)) this.#socket.destroy();
    this.#advance();
    if (this.#backlog.isEmpty) return this.#hasRoom;
    // The first chunk alone asks: one read of TLS may bring thousands.
    const isLost =
      !this.#isOfUser &&
      this.#backlog.only &&
      this.#priorityOf(this.#backlog.first?.bytes) !== "stop" &&
      isReset(this.#socket);
    if (isLost) this.#socket.destroy();
    return this.#mayReadOn;
  }

  #keep(bytes: Buffer): boolean {
    const arrival = this.#arrivalOfNext ?? this.#rules.arrive();
    this.#arrivalOfNext = undefined;
    const isForStop = (): boolean => this.#priorityOf(this.#backlog.first?.bytes ?? bytes) !== "other";
    return this.#backlog.add({ bytes, arrival }, isForStop);
  }

  /**
   * Whether to read on while bytes wait. To stop for a single small read, and begin again, would be two system calls more for it. What
   * comes behind a command, such as a reset of the connection, is not noticed before the command has been handed on.
   */
  get #mayReadOn(): boolean {
    const { only } = this.#backlog;
    return this.#hasRoom && only !== undefined && !this.#request.inBody && isOneRead(only);
  }

  /** Hands on as much as possible, and asks for a turn for the rest. */
  #advance(): void {
    while (this.#mayHandOn()) {
      let isImmediate = true;
      this.#queued = true;
      this.#rules.gate.schedule(this.#caller, this.#priorityOf(this.#backlog.first?.bytes), () => {
        this.#queued = false;
        this.#forwardStream();
        if (!isImmediate) this.#advance();
      });
      isImmediate = false;
      if (this.#queued) return;
    }
    if (!this.#backlog.isEmpty) return;
    this.#pipelined = 0;
    this.#readOn();
  }

  #mayHandOn(): boolean {
    if (this.#queued || this.#backlog.isEmpty || this.#socket.destroyed) return false;
    if (!this.#parse) return true;
    if (this.#socket.isPaused()) return false;
    return this.#inProgress.size < MAX_IN_PROGRESS || this.#request.inBody;
  }

  /** Priority of the bytes that come next. */
  #priorityOf(chunk: Buffer | undefined): Priority {
    const isOfStop = this.#parse !== undefined && this.#request.isOfStop(chunk);
    return isOfStop ? this.#rules.gate.stopPriority.priority(this.#stopper) : "other";
  }

  #forwardStream(): void {
    const { first } = this.#backlog;
    if (!first || this.#socket.destroyed) return;
    const piece = this.#parse ? this.#request.next(first.bytes) : undefined;
    if (piece && !this.#mayParse(piece, first.bytes)) return void this.#socket.destroy();
    const chunk = { ...first, bytes: this.#backlog.take(piece?.size ?? first.bytes.length) };
    const isOpen = this.#request.parse(chunk, (bytes) => {
      this.#hasRoom = this.#reader.push(bytes);
    });
    // Otherwise the bytes may have been an upgrade, or its end: another reader takes over.
    if (!isOpen && !this.#isParsed) this.#parse = undefined;
    if (this.#pipelined > MAX_PIPELINED && !this.#request.inBody) this.#close();
  }

  /** Whether there is room for what a piece takes once it is parsed. */
  #mayParse(piece: Piece, bytes: Buffer): boolean {
    if (this.#request.isBodyRead) this.#parsed.bodyWasRead();
    return this.#parsed.add(piece, this.#request.inBody, () => this.#priorityOf(bytes) !== "other");
  }

  get #isParsed(): boolean {
    return this.#socket.listeners("data").some((listener) => listener === this.#parse);
  }

  #readOn(): void {
    if (this.#ended) {
      this.#ended = false;
      // Thousands of connections may end at the same time.
      this.#rules.gate.schedule(this.#caller, "other", () => this.#handOnEnd());
    } else if (this.#wanted) {
      this.#wanted = false;
      this.#reader.read();
    }
  }

  #handOnEnd(): void {
    // Bytes that were taken back come first.
    this.#ended = !this.#backlog.isEmpty;
    if (this.#ended || this.#socket.destroyed) return;
    this.#endIsHandedOn = true;
    this.#reader.push(null);
    this.#socket.read(0);
  }

  #close(): void {
    this.#backlog.clear();
    this.#closing = new ClosingConnection({
      socket: this.#socket,
      reader: this.#reader,
      origin: this.#origin,
      inProgress: this.#inProgress,
      rules: this.#rules,
    });
    this.#closing.endIfDone();
  }
}
