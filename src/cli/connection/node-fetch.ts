import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as requestPlain } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import type { Fetch } from "../../client/exchange.ts";
import { grouped } from "../../core/values/basics.ts";
import { adviceFor } from "./failure-advice.ts";

/** TLS material in PEM. */
export interface ClientTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** False takes any certificate. */
  readonly rejectUnauthorized?: boolean;
}

/** A request, of which `body` is complete. */
interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

/** Sends a request; resolves when the head of its response is there. */
export type Send = (url: string, request: Outgoing) => Promise<IncomingMessage>;

/** Characters of a response that are read: more than twice a list of 100,000 positions. What a broken gateway sends must not fill the memory. */
const MAX_RESPONSE = 64 * 1024 * 1024;

/** Milliseconds for a connection, TLS included. */
const CONNECT_MS = 4_000;

/** `fetch` for the client on node:http, which starts in a tenth of the time that the platform's takes and knows certificates. */
export function nodeFetch(tls: ClientTls = {}): Fetch {
  const send = sender(tls);
  return async (url, init) => {
    const response = await send(url, outgoing(init));
    return {
      status: response.statusCode ?? 0,
      headers: { get: (name) => headerOf(response, name) },
      text: () => textOf(response),
    };
  };
}

function outgoing({ method = "GET", headers, body, signal }: Parameters<Fetch>[1]): Outgoing {
  return {
    method,
    headers: headers as Record<string, string>,
    body: (body ?? undefined) as string | undefined,
    signal,
  };
}

/**
 * Sends over node:http and node:https. A command gets its own connection: one that was idle may be closed at the other end just as
 * the command is sent.
 */
export function sender(tls: ClientTls = {}): Send {
  const plainAgent = new PlainAgent({ keepAlive: true });
  let secureAgent: SecureAgent | undefined;
  return async (url, sent) => {
    const { method, headers, body } = sent;
    const length = body !== undefined && { "Content-Length": Buffer.byteLength(body) };
    const options = { method, headers: { ...headers, ...length } };
    const isRead = method === "GET";
    if (!url.startsWith("https:")) {
      return received(requestPlain(url, { ...options, agent: isRead && plainAgent }), sent);
    }
    const { Agent, request } = await import("node:https");
    secureAgent ??= new Agent({ keepAlive: true, ...tls });
    return received(request(url, { ...options, ...tls, agent: isRead && secureAgent }), sent);
  };
}

function received(request: ClientRequest, { body, signal }: Outgoing): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const connection = connecting(request);
    const abort = (): void => void request.destroy(signal?.reason as Error);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    request.on("error", (error) => reject(connection.made ? error : advised(unsent(error))));
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("response", resolve);
    request.end(body);
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

/** Says what to do about it: Node's own words are those of the system, and of OpenSSL's source. */
function advised(error: Error): Error {
  const advice = adviceFor(error);
  const [words = ""] = error.message.split(/\n|:error:/);
  if (advice !== "") error.message = `${words.replace(/^write EPROTO.*/, "no connection")}${advice}`;
  return error;
}

export function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

/** @throws Error when the body is longer than any of a gateway; what is left of it is not received. */
async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    // Leaving the loop destroys the response and its connection.
    if (text.length > MAX_RESPONSE) throw new Error(`the response is longer than ${grouped(MAX_RESPONSE)} characters`);
  }
  return text;
}
