import type { IncomingMessage } from "node:http";
import type { RequestArrival } from "../../core/calls/call.ts";
import { type Operations, operationNames, operationRecord } from "../../core/operations/table.ts";
import { LONG_BODY } from "../json-body.ts";
import type { Chunk } from "./backlog.ts";
import { ChunkedBody, FRAGMENT_BYTES } from "./chunked-body.ts";

const LF = 0x0a;
const CR = 0x0d;
const G = 0x47;
const P = 0x50;

const END_OF_HEAD = "\r\n\r\n";

/** As many of its bytes may have come at the end of a piece. */
const SEAM = END_OF_HEAD.length - 1;

const NO_FIELDS = Buffer.alloc(0);

const POST_LINE = /^(?:\r\n)*POST ([^ ?]*)[ ?]/;

/** Bytes in which a stop's path is looked for: as many as a URL may have unless `server.max-url-length` says otherwise. */
const MAX_STOP_LINE = 8 * 1024;

/** Longest read behind which a socket is still read. */
const SMALL_BYTES = 4 * 1024;

/** Longest piece parsed at a time when its content is unknown: it may be many small requests. */
const PIECE_BYTES = 4 * 1024;

/** Between the places of two requests that came in one piece. */
const PART_OF_PLACE = 1e-6;

const ARRIVAL = Symbol("arrival");
const ON_STOP_ENDED = Symbol("onStopEnded");
const ON_IDENTIFIED = Symbol("onIdentified");

/** Recognises requests for stops by their first line, whatever path the API is mounted at. */
export function stopMatcher(operations: Operations): (bytes: Buffer) => boolean {
  const paths = operationNames
    .map((name) => operationRecord(operations, name))
    .filter(({ lane }) => lane === "stop")
    .map(({ path }) => path);
  const pattern = new RegExp(`(?:${paths.map((path) => path.replace(/\{\w+\}/g, "[^/ ?]+")).join("|")})$`);
  const segments = Math.max(...paths.map((path) => path.split("/").length - 1));
  return (bytes) => {
    if (bytes[0] !== P && bytes[0] !== CR) return false;
    const [, path] = POST_LINE.exec(bytes.toString("latin1", 0, MAX_STOP_LINE)) ?? [];
    return path !== undefined && pattern.test(lastSegments(path, segments));
  };
}

/** The end of a path: whole paths would be compared at each of thousands of places. */
function lastSegments(path: string, count: number): string {
  let at = path.length;
  for (let segment = 0; segment < count && at > 0; segment += 1) at = path.lastIndexOf("/", at - 1);
  return path.slice(Math.max(0, at));
}

/** Size of the empty lines with which bytes begin: they may precede a request (RFC 9112 section 2.2). */
function sizeOfBlank(bytes: Buffer): number {
  const size = bytes.findIndex((byte) => byte !== CR && byte !== LF);
  return size < 0 ? bytes.length : size;
}

/** Size of the head with which bytes begin, or its rest behind `before`; undefined if they do not hold its end. */
function sizeOfHead(bytes: Buffer, before = ""): number | undefined {
  const seam = before === "" ? -1 : (before + bytes.toString("latin1", 0, SEAM)).indexOf(END_OF_HEAD);
  const end = seam < 0 ? bytes.indexOf(END_OF_HEAD, 0, "latin1") : seam - before.length;
  return seam < 0 && end < 0 ? undefined : end + END_OF_HEAD.length;
}

/** The last bytes of a part of a head: its end may begin with them. */
function lastOf(before: string, bytes: Buffer): string {
  return (before + bytes.toString("latin1", Math.max(0, bytes.length - SEAM))).slice(-SEAM);
}

/** Whether bytes are one small request for a read and nothing else, and hold no more memory than that. */
export function isOneRead(bytes: Buffer): boolean {
  return bytes[0] === G && bytes.buffer.byteLength <= SMALL_BYTES && sizeOfHead(bytes) === bytes.length;
}

/** A request of a guarded connection, with what its reader has noted on it. */
export interface GuardedRequest extends IncomingMessage {
  [ARRIVAL]?: RequestArrival | undefined;
  /** For what was taken for a stop. */
  [ON_STOP_ENDED]?: (isUnknown: boolean) => void;
  [ON_IDENTIFIED]?: OnIdentified;
}

export function arrivalOf(request: GuardedRequest): RequestArrival | undefined {
  return request[ARRIVAL];
}

/** Notes that a stop has been answered; `isUnknown`: it was refused since its caller is not known. */
export function stopEnded(request: GuardedRequest, isUnknown: boolean): void {
  request[ON_STOP_ENDED]?.(isUnknown);
}

/** Calls back when {@link stopEnded} is called for a request. */
export function onStopEnded(request: GuardedRequest, listener: (isUnknown: boolean) => void): void {
  request[ON_STOP_ENDED] = listener;
}

/** Who sent a request, and whether it is a command; undefined: its credentials were not accepted. */
type OnIdentified = (user: string | undefined, isCommand: boolean) => void;

/** Notes who sent a request. */
export function identified(request: GuardedRequest, ...known: Parameters<OnIdentified>): void {
  request[ON_IDENTIFIED]?.(...known);
}

/** Calls back when {@link identified} is called for a request. */
export function onIdentified(request: GuardedRequest, listener: OnIdentified): void {
  request[ON_IDENTIFIED] = listener;
}

/** Bytes that the parser gets together. */
export interface Piece {
  readonly size: number;
  /** What among them is kept as fields, of a head or of trailers. */
  readonly fields: Buffer;
  /** Small pieces of a body among them, each of which is kept by itself until it is read. */
  readonly fragments: number;
}

/** The request at which a connection is: what its parser has had of it, and what comes next. */
export class RequestAtHand {
  readonly #looksLikeStop: (bytes: Buffer) => boolean;
  /** Until it has been answered: an idle connection keeps nothing of it. */
  #latest: IncomingMessage | undefined;
  #hasBegun = false;
  #isStop = false;
  /** A part of the next head has been parsed. */
  #inHead = false;
  /** The last bytes of that part. */
  #seam = "";
  /** Of the latest request, once a chunk of it has come. */
  #chunks: ChunkedBody | undefined;
  /** Bytes of the latest request's body that have been parsed. */
  #bodyBytes = 0;
  /** Arrival of the latest head, or of what is there of the next one. */
  #arrival: RequestArrival | undefined;

  /** `looksLikeStop`: whether bytes begin with the line of a request for a stop. */
  constructor(looksLikeStop: (bytes: Buffer) => boolean) {
    this.#looksLikeStop = looksLikeStop;
  }

  get arrival(): RequestArrival | undefined {
    return this.#arrival;
  }

  /** Whether the latest request looked like a stop. */
  get isStop(): boolean {
    return this.#isStop;
  }

  get inBody(): boolean {
    return this.#latest !== undefined && !this.#latest.complete;
  }

  /** Whether the part of the latest request's body that has arrived was read. */
  get isBodyRead(): boolean {
    return this.#latest?.readableLength === 0;
  }

  /** Whether bytes that come next are those of a stop, and as short as a stop needs. */
  isOfStop(next: Buffer | undefined): boolean {
    if (!this.inBody && !this.#inHead) this.#isStop = next !== undefined && this.#looksLikeStop(next);
    return this.#isStop && !(this.inBody && this.#bodyBytes >= LONG_BODY);
  }

  /** What of bytes comes next: a whole head, the rest of a body, or else a piece. Follows it: it has to be parsed then. */
  next(bytes: Buffer): Piece {
    return this.inBody ? this.#nextOfBody(bytes) : this.#nextOfHead(bytes);
  }

  #nextOfHead(bytes: Buffer): Piece {
    const from = this.#inHead ? 0 : sizeOfBlank(bytes);
    const size = from + (sizeOfHead(bytes.subarray(from), this.#seam) ?? PIECE_BYTES);
    return { size, fields: bytes.subarray(from, size), fragments: 0 };
  }

  #nextOfBody(bytes: Buffer): Piece {
    const left = Number(this.#latest?.headers["content-length"]) - this.#bodyBytes;
    const isFragment = Math.min(left, bytes.length) < FRAGMENT_BYTES;
    if (left > 0) return { size: left, fields: NO_FIELDS, fragments: isFragment ? 1 : 0 };
    this.#chunks ??= new ChunkedBody();
    const { size, trailersFrom, fragments } = this.#chunks.follow(bytes.subarray(0, PIECE_BYTES));
    return { size, fields: bytes.subarray(trailersFrom, size), fragments };
  }

  /** Parses bytes by `push`; returns whether a request has begun, or its body continues. */
  parse({ bytes, arrival }: Chunk, push: (bytes: Buffer) => void): boolean {
    const { inBody } = this;
    this.#hasBegun = false;
    if (inBody) this.#bodyBytes += bytes.length;
    else if (!this.#inHead) this.#arrival = this.#behindLatest(arrival);
    push(bytes);
    this.#inHead = !this.#hasBegun && !inBody && (this.#inHead || sizeOfBlank(bytes) < bytes.length);
    this.#seam = this.#inHead ? lastOf(this.#seam, bytes) : "";
    return this.#hasBegun || this.inBody;
  }

  #behindLatest({ place, at }: RequestArrival): RequestArrival {
    return { place: Math.max(place, (this.#arrival?.place ?? 0) + PART_OF_PLACE), at };
  }

  /** A request has been parsed. */
  began(request: GuardedRequest): void {
    request[ARRIVAL] = this.#arrival;
    this.#latest = request;
    this.#hasBegun = true;
    this.#bodyBytes = 0;
    this.#chunks = undefined;
  }

  /** A request has been answered, and all of it has been read. */
  answered(request: GuardedRequest): void {
    if (this.#latest === request) this.#latest = undefined;
  }

  /** Another parser begins. */
  reset(): void {
    this.#latest = undefined;
    this.#inHead = false;
    this.#seam = "";
  }
}
