import type { RequestArrival } from "../core/calls/call.ts";
import type { AdminError } from "../core/errors.ts";

/** The handler's view of a request; adapters make one of their framework's request. */
export interface HttpRequest {
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path and query, undecoded, relative to the mount point. */
  readonly target: string;
  /** Value of a header, its name in lower case; a repeated header is joined by `, `. */
  header(name: string): string | undefined;
  /** Why the request is refused whatever it asks for, such as a header of which the server has dropped a part. */
  readonly fault?: AdminError | undefined;
  /** Why a parser of the host has refused the body. Then nothing is carried out, as what comes behind that parser has not seen the request. */
  readonly refusal?: AdminError | undefined;
  /** Whether a body comes only with `Content-Length` or `Transfer-Encoding`, as in HTTP/1.1; if absent, a body is read to see whether there is one. */
  readonly isBodyDeclared?: boolean;
  /** When its first bytes arrived, where that is known; otherwise it has arrived when it is handed to the handler. */
  readonly arrival?: RequestArrival | undefined;
  /** Network address of the caller. */
  readonly address: string | undefined;
  /** Key by which the address is counted, such as an IPv6 network; the address itself if absent. */
  readonly origin?: string;
  /** Whether the caller has disconnected, where that is known. */
  readonly isDisconnected?: boolean;
  /** Notifies the connection that a stop was answered, and whether it was refused because its caller is unknown. */
  stopEnded?(isUnknown: boolean): void;
  /**
   * Tells the connection's reader which user its requests belong to, and whether this one is a command; undefined if the credentials were not
   * accepted.
   */
  authenticated?(user: string | undefined, isCommand: boolean): void;
  /**
   * Calls `listener` once, when the response has been written or will not be. Without it, large responses do not count against the
   * limits of their user while they are being written.
   */
  onClose?(listener: () => void): void;
  /** Reads the body; rejects with `BODY_TOO_LARGE` above `limit` bytes. Called at most once. */
  readBody(limit: number, room?: BodyQuota): Promise<RequestBody>;
}

/** Counts the bytes of an arriving body; `take` throws `ENGINE_OVERLOADED` above the limit. */
export interface BodyQuota {
  /** Counts bytes that have arrived. */
  take(bytes: number): void;
  /** Returns all bytes taken. */
  release(): void;
}

/** A body as bytes, or as the value that the host's body parser made of it. */
export type RequestBody =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "parsed"; readonly value: unknown };

/** A response, `Content-Length` included. */
export interface HttpResponse {
  readonly status: number;
  /** By name as it is written. */
  readonly headers: Readonly<Record<string, string | number>>;
  /** Empty without content; in parts if long. */
  readonly body: string | readonly Uint8Array[];
}

/** Responds to a request; undefined for a path outside the API. Never throws or rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse> | undefined;
