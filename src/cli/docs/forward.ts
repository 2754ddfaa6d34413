import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Credentials } from "../../client/credentials.ts";
import { refusesToken } from "../../client/exchange.ts";
import { CONSOLE_PATH } from "../../console/console-page.ts";
import { BASE_PATH } from "../../core/conventions.ts";
import { OPENAPI_PATH } from "../../openapi/document.ts";
import { PAGE_FOLDER, PAGE_PATH } from "../../openapi/page/docs-page.ts";
import { type ClientTls, headerOf, type Send, sender } from "../connection/node-fetch.ts";

/** Request headers that are forwarded to the gateway. */
const REQUEST_HEADERS = ["accept", "content-type", "if-match", "if-none-match", "traceparent", "x-request-id"] as const;

/** Response headers that describe this connection, affect other ports of this address, or make the browser ask for credentials. */
const NOT_PASSED_ON = new Set([
  "clear-site-data",
  "connection",
  "content-length",
  "keep-alive",
  "set-cookie",
  "strict-transport-security",
  "transfer-encoding",
  "www-authenticate",
]);

/** Paths below the mount point of the API that belong to the pages. */
const OF_THE_PAGES = new RegExp(
  `^(?:${PAGE_PATH}|${CONSOLE_PATH}|${CONSOLE_PATH}/.*|${PAGE_FOLDER}/.*|${OPENAPI_PATH}(?:\\.yaml)?|${BASE_PATH}/.*)$`,
);

/** The pages and the files that they load, which are the same for everybody; a browser loads them without the key of a page. */
const PAGE_FILE = new RegExp(
  `^(?:${PAGE_PATH}|${CONSOLE_PATH}|(?:${CONSOLE_PATH}|${PAGE_FOLDER})/(?:logged-out|[\\w-]+\\.(?:js|css|png|html)))$`,
);

/** Paths that an intermediary could read differently. */
const TRICKY = /%2e|\\|\/\/|\/\.{1,2}(?:\/|$)/i;

export interface Forwarded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** Passes requests on to a gateway with the caller's credentials. */
export class Forwarder {
  readonly #baseUrl: URL;
  readonly #credentials: Credentials;
  readonly #sendOn: Send;

  constructor(baseUrl: URL, credentials: Credentials, tls: ClientTls) {
    this.#baseUrl = baseUrl;
    this.#credentials = credentials;
    this.#sendOn = sender(tls);
  }

  get origin(): string {
    return this.#baseUrl.origin;
  }

  /** Path that the API is mounted below; empty for none. */
  get mount(): string {
    return this.#baseUrl.pathname.replace(/\/+$/, "");
  }

  /** The URL for a path with its query; undefined for what the pages do not need, or is written in a tricky way. */
  target(pathAndQuery: string): URL | undefined {
    const [path = ""] = pathAndQuery.split("?");
    const isOfThePages = path.startsWith(this.mount) && OF_THE_PAGES.test(path.slice(this.mount.length));
    return isOfThePages && !TRICKY.test(path) ? new URL(pathAndQuery, this.#baseUrl) : undefined;
  }

  /** Whether a request is for a page or a file of one: nothing that is anybody's secret. */
  isPageFile({ method, url = "" }: IncomingMessage): boolean {
    const [path = ""] = url.split("?");
    const isRead = method === "GET" || method === "HEAD";
    return isRead && path.startsWith(this.mount) && PAGE_FILE.test(path.slice(this.mount.length));
  }

  /** Sends a request on; once more with a new token when the first is refused, as the client does. */
  async forward(request: IncomingMessage, target: URL): Promise<Forwarded> {
    const body = request.method === "GET" || request.method === "HEAD" ? undefined : await buffer(request);
    const authorization = await this.#credentials.authorization();
    const reply = await this.#send(request, target, body, authorization);
    const status = reply.statusCode ?? 0;
    if (!refusesToken({ status, headers: { get: (name) => headerOf(reply, name) } })) return forwarded(reply);
    const other = await this.#credentials.authorization(authorization);
    if (other === authorization) return forwarded(reply);
    reply.resume();
    return forwarded(await this.#send(request, target, body, other));
  }

  #send(
    { method = "GET", headers }: IncomingMessage,
    target: URL,
    body: Buffer | undefined,
    authorization: string,
  ): Promise<IncomingMessage> {
    const passed = REQUEST_HEADERS.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    });
    return this.#sendOn(target.href, { method, headers: { ...Object.fromEntries(passed), authorization }, body });
  }
}

async function forwarded(reply: IncomingMessage): Promise<Forwarded> {
  const headers = Object.entries(reply.headers).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || NOT_PASSED_ON.has(name) ? [] : [[name, value]],
  );
  return { status: reply.statusCode ?? 0, headers: Object.fromEntries(headers), body: await buffer(reply) };
}
