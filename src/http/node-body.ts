import type { IncomingMessage, ServerResponse } from "node:http";
import { AdminError } from "../core/errors.ts";
import { tooLarge } from "./json-body.ts";
import type { BodyQuota, RequestBody } from "./message.ts";

/** Limits for reading a body that is not needed. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 5_000;

/** Marks a request whose `100 Continue` is sent only when its body is wanted. */
const CONTINUE_DEFERRED = Symbol("100 Continue deferred");

interface DeferredRequest extends IncomingMessage {
  [CONTINUE_DEFERRED]?: true;
}

/** Lets a client wait for `100 Continue` until the body is needed. */
export function deferContinueOf(request: DeferredRequest): void {
  request[CONTINUE_DEFERRED] = true;
}

/** Sends the `100 Continue` that a client still waits for. */
export function continueDeferred(request: DeferredRequest, response: ServerResponse): void {
  if (request[CONTINUE_DEFERRED]) response.writeContinue();
}

/** Bytes that arrive in chunks. A body may come in chunks of one byte: each, if kept by itself, would take a hundred times its size. */
class GrowingBytes {
  #bytes: Buffer = Buffer.alloc(0);
  size = 0;

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    if (this.size === 0) {
      this.#bytes = chunk;
    } else {
      if (size > this.#bytes.length) this.#grow(Math.max(size, 2 * this.#bytes.length));
      chunk.copy(this.#bytes, this.size);
    }
    this.size = size;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.size);
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
    this.size = 0;
  }

  #grow(capacity: number): void {
    const bytes = Buffer.allocUnsafe(capacity);
    this.#bytes.copy(bytes, 0, 0, this.size);
    this.#bytes = bytes;
  }
}

/** For a request whose bytes are not counted. */
const NO_BOUND: BodyQuota = { take: () => {}, release: () => {} };

/** Reads a body of at most `limit` bytes; the rest of a longer one is left to be discarded. */
export async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  room: BodyQuota = NO_BOUND,
): Promise<RequestBody> {
  if (request.readableEnded) throw new Error("The request body was read before it reached the API");
  continueDeferred(request, response);
  return new Promise((resolve, reject) => {
    const body = new GrowingBytes();
    // A connection may keep its latest request for long, but not its body.
    const end = (): Buffer => {
      const { bytes } = body;
      request.off("data", take);
      body.clear();
      return bytes;
    };
    const fail = (error: unknown): void => {
      end();
      request.resume();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      try {
        if (body.size + chunk.length > limit) throw tooLarge(limit);
        room.take(chunk.length);
        body.add(chunk);
      } catch (error) {
        fail(error);
      }
    };
    request.on("data", take);
    request.once("end", () => resolve({ kind: "bytes", bytes: end() }));
    request.once("close", () =>
      fail(new AdminError("BAD_REQUEST", "The connection was closed before the body was complete")),
    );
    request.once("error", (cause) =>
      fail(new AdminError("BAD_REQUEST", "The request body could not be read", { cause })),
    );
  });
}

/**
 * Reads the rest of a request and discards it; `done` is called once, with whether the request was complete. Closing a connection
 * while the client is still sending resets it, and the client may lose the response (RFC 9112 section 9.6).
 */
export function discardRest(request: IncomingMessage, done: (complete: boolean) => void): void {
  let size = 0;
  const count = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > MAX_BYTES) finish();
  };
  const finish = (): void => {
    clearTimeout(timer);
    request.off("data", count).off("end", finish).off("close", finish);
    done(request.complete);
  };
  const timer = setTimeout(finish, MAX_MS);
  request.on("data", count).once("end", finish).once("close", finish);
}
