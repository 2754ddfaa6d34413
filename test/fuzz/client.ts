import { Agent, type ClientRequest, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { RawRequest } from "./raw.ts";
import type { FuzzedRequest } from "./requests.ts";

/** One answer. */
export interface Reply {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Where fuzzed requests go. */
export interface Destination {
  readonly hostname: string;
  readonly port: number;
  /** Path of the API. */
  readonly basePath: string;
}

/** A request that waits longer than this for its response hangs. */
const TIMEOUT_MS = 60_000;

/** The request target on the wire. */
export function targetOf({ below, path, absolute }: FuzzedRequest, { hostname, port, basePath }: Destination): string {
  const local = below ? `${basePath}${path}` : path;
  return absolute ? `http://${hostname}:${port}${local}` : local;
}

/** A kept connection was closed before anything came back: the server may have closed it as idle while the request was on its way. */
const CLOSED_AS_IDLE = Symbol("closed as idle");

/** Sends a request and answers the reply, or what happened to the connection instead. */
export async function send(fuzzed: FuzzedRequest, to: Destination, agent: Agent): Promise<Reply | string> {
  const kept = await exchange(fuzzed, to, agent);
  if (kept !== CLOSED_AS_IDLE) return kept;
  const fresh = await exchange(fuzzed, to, new Agent());
  return fresh === CLOSED_AS_IDLE ? "a new connection was closed as idle" : fresh;
}

function exchange(
  fuzzed: FuzzedRequest,
  to: Destination,
  agent: Agent,
): Promise<Reply | string | typeof CLOSED_AS_IDLE> {
  const { method, body, chunked } = fuzzed;
  const length = chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(body?.length ?? 0)];
  const hasBody = body !== undefined || chunked;
  const headers = ["Host", `${to.hostname}:${to.port}`, ...fuzzed.headers.flat(), ...(hasBody ? length : [])];
  return new Promise((resolve) => {
    const { hostname, port } = to;
    const sent = request({ hostname, port, agent, method, path: targetOf(fuzzed, to), headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.once("error", ({ message }) => resolve(message));
      reply.once("end", () => {
        const entries = Object.entries(reply.headers).map(([key, value]) => [key, String(value)]);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: reply.statusCode ?? 0, headers: Object.fromEntries(entries), body: text });
      });
    });
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error("no response in time")));
    sent.once("error", ({ message }) => resolve(isClosedAsIdle(sent, message) ? CLOSED_AS_IDLE : message));
    sent.end(body);
  });
}

function isClosedAsIdle({ reusedSocket }: ClientRequest, message: string): boolean {
  return reusedSocket && /socket hang up|ECONNRESET|EPIPE/.test(message);
}

/** What came back for raw bytes. */
export interface RawOutcome {
  /** All bytes that came, one character each. */
  readonly received: string;
  /** Whether the server closed its side of the connection. */
  readonly closed: boolean;
}

/** When nothing has come for so long, the sender takes it that the server waits for more. */
const QUIET_MS = 40;

/**
 * Writes raw bytes, piece by piece, and closes its side of the connection once it has the replies that have to come or,
 * where none is certain, the server is quiet. Then the server has to close its own.
 */
export function sendBytes({ pieces, exactly }: RawRequest, { hostname, port }: Destination): Promise<RawOutcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const received = (): string => Buffer.concat(chunks).toString("latin1");
    const socket = connect({ host: hostname, port, allowHalfOpen: true });
    const settle = (closed: boolean): void => {
      clearTimeout(timeLimit);
      clearTimeout(quiet);
      socket.destroy();
      resolve({ received: received(), closed });
    };
    const timeLimit = setTimeout(() => settle(false), TIMEOUT_MS);
    const quiet = setTimeout(() => socket.end(), exactly ? TIMEOUT_MS : QUIET_MS);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      quiet.refresh();
      if (exactly && repliesIn(received()).replies.length >= exactly.length) socket.end();
    });
    // A reset closes the connection too: bytes were on their way to a server that had refused those before.
    socket.once("error", () => settle(true));
    socket.once("end", () => settle(true));
    void (async () => {
      for (const piece of pieces) {
        if (!socket.writable) return;
        socket.write(piece);
        quiet.refresh();
        await pause(1);
      }
    })();
  });
}

/** Splits what came over a connection into replies; `junk` is what is none. `HEAD` has no place in it. */
export function repliesIn(received: string): { replies: Reply[]; junk: string } {
  const replies: Reply[] = [];
  let rest = received;
  for (;;) {
    const [head, status] = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+\r\n(?:[!-9;-~]+: [^\r\n]*\r\n)*\r\n/.exec(rest) ?? [];
    if (head === undefined) return { replies, junk: rest };
    rest = rest.slice(head.length);
    if (status === "100") continue;
    const lines = head.split("\r\n").slice(1, -2);
    const headers = Object.fromEntries(lines.map((line) => [nameOf(line), line.slice(line.indexOf(": ") + 2)]));
    const length = Number(headers["content-length"] ?? 0);
    if (rest.length < length) return { replies, junk: head + rest };
    replies.push({ status: Number(status), headers, body: Buffer.from(rest.slice(0, length), "latin1").toString() });
    rest = rest.slice(length);
  }
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(":")).toLowerCase();
}
