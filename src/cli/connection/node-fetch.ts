import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as requestPlain } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import type { Fetch, FetchResponse } from "../../client/exchange.ts";

/** What TLS is done with; PEM. */
export interface ClientTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** False takes any certificate. */
  readonly rejectUnauthorized?: boolean;
}

type Init = Parameters<Fetch>[1];

/** Milliseconds for a connection, TLS included. */
const CONNECT_MS = 4_000;

/**
 * `fetch` for the client on node:http, which starts in a tenth of the time that the platform's takes and knows certificates.
 * A command gets a connection of its own: one that was idle may be closed at the other end just as the command is sent.
 */
export function nodeFetch(tls: ClientTls = {}): Fetch {
  const plainAgent = new PlainAgent({ keepAlive: true });
  let secureAgent: SecureAgent | undefined;
  return async (url, init) => {
    const options = { method: init.method ?? "GET", headers: headersOf(init) };
    const isRead = options.method === "GET";
    if (!url.startsWith("https:"))
      return received(requestPlain(url, { ...options, agent: isRead && plainAgent }), init);
    const { Agent, request } = await import("node:https");
    secureAgent ??= new Agent({ keepAlive: true, ...tls });
    return received(request(url, { ...options, ...tls, agent: isRead && secureAgent }), init);
  };
}

function headersOf({ headers, body }: Init): Record<string, string> {
  const length = typeof body === "string" ? { "Content-Length": String(Buffer.byteLength(body)) } : {};
  return { ...(headers as Record<string, string>), ...length };
}

function received(request: ClientRequest, { body, signal }: Init): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const connection = connecting(request);
    const abort = (): void => void request.destroy(signal?.reason as Error);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    request.on("error", (error) => reject(connection.made ? error : unsent(error)));
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("response", (response) => {
      resolve({
        status: response.statusCode ?? 0,
        headers: { get: (name) => headerOf(response, name) },
        text: () => textOf(response),
      });
    });
    request.end(body ?? undefined);
  });
}

/** Watches a connection come about, TLS included; one that does not in time is given up. */
function connecting(request: ClientRequest): { readonly made: boolean } {
  const connection = { made: false };
  request.once("socket", (socket) => {
    if (!socket.connecting) {
      connection.made = true;
      return;
    }
    const timer = setTimeout(() => request.destroy(new Error(`no connection within ${CONNECT_MS} ms`)), CONNECT_MS);
    socket.once("close", () => clearTimeout(timer));
    socket.once("encrypted" in socket ? "secureConnect" : "connect", () => {
      connection.made = true;
      clearTimeout(timer);
    });
  });
  return connection;
}

/** Marks what failed before there was a connection, and so before anything was sent, as the client knows it. */
function unsent(error: Error): Error {
  return Object.assign(error, { syscall: "connect" });
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}
