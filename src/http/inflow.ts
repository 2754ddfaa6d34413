import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Gate, Urgency } from "../core/load/gate.ts";

/** Requests of one connection that are served at a time. */
const MAX_UNDER_WAY = 4;

/** Requests of one connection that may wait for those. A caller that sends still more at once is served these, and closed. */
const MAX_PIPELINED = 64;

/** Longest piece that is parsed at a time where it is not known what it holds: it may be many small requests. */
const PIECE_BYTES = 4 * 1024;

/** What callers that have not logged in may have waiting in all. Beyond that their connections are closed. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** How long a connection that is being closed is still read: unread bytes would cost its caller the last response. */
const LINGER_MS = 1_000;

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const P = 0x50;
const LONGEST_STOP_LINE = 512;

const INFLOW = Symbol("inflow");

interface GuardedSocket extends Socket {
  [INFLOW]?: Inflow;
}

/** What the connections of a server have in common. */
export interface InflowRules {
  readonly gate: Gate;
  /** Whether the first line of a request asks for a stop. */
  readonly isStop: (line: string) => boolean;
  /** Where a connection comes from. */
  readonly originOf: (socket: Socket) => string;
  /** Who takes turns for a connection as long as no user has logged in over it: its origin, unless that is a trusted proxy. */
  readonly callerAt: (socket: Socket) => string;
  /** Bytes that wait on all connections without a user. */
  waitingBytes: number;
}

/** Puts what a connection brings under the rules, once its server has begun to listen to it. */
export function guardConnection(socket: GuardedSocket, rules: InflowRules): void {
  socket[INFLOW] ??= new Inflow(socket, rules);
  socket[INFLOW].attach();
}

/** A request has been read off a guarded connection. */
export function requestBegan(request: IncomingMessage, response: ServerResponse): void {
  (request.socket as GuardedSocket)[INFLOW]?.began(request, response);
}

/** From now on the turns of a user count for a connection, and not those of the place it comes from. */
export function callerIsUser(socket: GuardedSocket, user: string): void {
  socket[INFLOW]?.callerIs(user);
}

/**
 * The bytes of one connection on their way to the HTTP parser of its server. The parser gets one head at a time, when it is the
 * caller's turn; while bytes wait, no more are read, so that the caller has to wait as well. It stands between the socket and its
 * readers, as an override of `push` and `_read`, which are there to be overridden (Node.js, "Implementing a readable stream").
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
  /** A turn is awaited. */
  #queued = false;
  /** The reader wanted more while bytes were waiting. */
  #wanted = false;
  #state: "guarded" | "released" | "closing" = "released";
  /** The parser's listener. */
  #parse: unknown;
  readonly #underWay = new Set<ServerResponse>();
  /** Requests that had to wait for others of this connection since nothing waited. */
  #pipelined = 0;
  #latest: IncomingMessage | undefined;
  #latestIsStop = false;
  /** Bytes of the latest request's body that have not been parsed, where that is known. */
  #bodyLeft: number | undefined;
  readonly #push: Socket["push"];
  readonly #read: Socket["_read"];

  constructor(socket: Socket, rules: InflowRules) {
    this.#socket = socket;
    this.#rules = rules;
    this.#origin = rules.originOf(socket);
    this.#caller = rules.callerAt(socket);
    this.#push = socket.push.bind(socket);
    this.#read = socket._read.bind(socket);
    socket.push = (chunk: Buffer | null) => this.#take(chunk);
    socket._read = (size) => {
      if (this.#chunks.length > 0) this.#wanted = true;
      else this.#read(size);
    };
    socket.on("resume", () => this.#advance());
    socket.once("close", () => this.#forgetWaiting());
  }

  /** Stands in front of the parser that listens to the socket now. */
  attach(): void {
    const [parse] = this.#socket.listeners("data");
    if (!parse) return;
    this.#state = "guarded";
    this.#latest = undefined;
    // A server that sees another listener no longer takes the bytes past the stream.
    this.#socket.on("data", ignore);
    this.#socket.off("data", ignore);
    this.#parse = parse;
  }

  callerIs(user: string): void {
    if (this.#isUser && this.#caller === user) return;
    if (!this.#isUser) this.#rules.waitingBytes -= this.#bytes;
    this.#caller = user;
    this.#isUser = true;
  }

  began(request: IncomingMessage, response: ServerResponse): void {
    this.#latest = request;
    this.#bodyLeft = undefined;
    this.#underWay.add(response);
    response.once("close", () => {
      this.#underWay.delete(response);
      if (this.#underWay.size === MAX_UNDER_WAY - 1 && this.#chunks.length > 0) this.#pipelined += 1;
      if (this.#state === "closing") this.#endIfDone();
      else this.#advance();
    });
  }

  #take(chunk: Buffer | null): boolean {
    if (this.#state === "closing") return true;
    if (this.#state === "released" && this.#chunks.length === 0) return this.#push(chunk);
    if (chunk === null) this.#ended = true;
    else this.#keep(chunk);
    this.#advance();
    if (this.#chunks.length === 0) return true;
    if (this.#urgency() !== "stop" && isReset(this.#socket)) this.#socket.destroy();
    return false;
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

  /** Hands on as much as may be handed on now, and asks for a turn for the rest. */
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
    if (!this.#inBody) {
      const [chunk] = this.#chunks;
      this.#latestIsStop = chunk?.[0] === P && this.#rules.isStop(chunk.toString("latin1", 0, LONGEST_STOP_LINE));
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
    if (wasInBody && this.#bodyLeft !== undefined) this.#bodyLeft -= size;
    const before = this.#latest;
    this.#push(size === chunk.length ? chunk : chunk.subarray(0, size));
    // What began no request may have been an upgrade, or the end of one: then another reader goes on.
    if (this.#latest === before && !this.#inBody) this.#checkReleased();
    if (this.#pipelined > MAX_PIPELINED && !this.#inBody) this.#close();
  }

  #checkReleased(): void {
    const reads = this.#socket.listeners("data").some((listener) => listener === this.#parse);
    if (!reads && this.#state === "guarded") this.#state = "released";
  }

  /** A head as a whole, what is certain to be body, or else a piece. */
  #sizeOfNext(chunk: Buffer): number {
    if (this.#inBody) {
      this.#bodyLeft ??= Number(this.#latest?.headers["content-length"]);
      return this.#bodyLeft > 0 ? this.#bodyLeft : PIECE_BYTES;
    }
    const end = chunk.indexOf(END_OF_HEAD);
    return end < 0 ? PIECE_BYTES : end + END_OF_HEAD.length;
  }

  #readOn(): void {
    if (this.#ended && !this.#socket.destroyed) {
      this.#ended = false;
      this.#push(null);
      this.#socket.read(0);
    } else if (this.#wanted) {
      this.#wanted = false;
      this.#read(0);
    }
  }

  /** Ends the connection after the responses that are under way; what has been sent beyond them is not looked at. */
  #close(): void {
    this.#state = "closing";
    this.#forgetWaiting();
    this.#socket.destroySoon = () => this.#linger();
    const last = [...this.#underWay].at(-1);
    if (last && !last.headersSent) last.shouldKeepAlive = false;
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#underWay.size === 0) this.#linger();
  }

  #linger(): void {
    this.#socket.end();
    this.#read(0);
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  #forgetWaiting(): void {
    this.#count(-this.#bytes);
    this.#chunks = [];
  }
}

/** Whether a connection was reset: the system has forgotten its peer. Node reports such an end like one that is in order. */
function isReset(socket: Socket): boolean {
  const { _handle } = socket as Socket & { readonly _handle?: { getpeername(found: object): number } };
  return _handle?.getpeername({}) !== 0;
}

function ignore(): void {}
