/** A request as the handler needs it; adapters make one from their framework's request. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as they were sent, relative to the mount point. */
  readonly target: string;
  /** Value of a header, its name in lower case; a repeated header is joined by `, `. */
  header(name: string): string | undefined;
  /** Network address of the caller. */
  readonly address: string | undefined;
  /** Whether the caller has hung up, where that is known. */
  readonly hasLeft?: boolean;
  /** Tells the connection's reader which user its requests belong to. */
  authenticated?(user: string): void;
  /**
   * Calls `listener` once, when the response has been written or will not be. Without it, large responses do not count against the
   * limits of their user while they are being written.
   */
  onClose?(listener: () => void): void;
  /** Reads the body; throws `BODY_TOO_LARGE` beyond `limit` bytes. Called at most once. */
  readBody(limit: number, room?: BodyRoom): Promise<RequestBody>;
}

/** Where the bytes of a body that is arriving are counted; `take` throws `ENGINE_OVERLOADED` when there is no room for them. */
export interface BodyRoom {
  take(bytes: number): void;
  /** Gives everything back that was taken. */
  release(): void;
}

/** A body as bytes, or as the value that a host's own body parser made of it. */
export type RequestBody =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "parsed"; readonly value: unknown };

/** A response, `Content-Length` included. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Empty for a response without content; in parts for a long one. */
  readonly body: string | readonly Uint8Array[];
}

/** Makes the response to a request, or is `undefined` for a path that is not ours. Never throws or rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse> | undefined;
