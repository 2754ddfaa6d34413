import type { AdminApi } from "../core/admin-api.ts";
import { BASE_PATH } from "../core/conventions.ts";
import { ANYTHING, ifGiven, type Needed, OBJECT, optionsOf, textLike } from "../core/options.ts";
import { PRINCIPAL, type Principal } from "../core/principal.ts";
import { httpHandler } from "../http/handler.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { nothingServed } from "../http/responses.ts";
import type { RigUsers } from "./rig-users.ts";

/** A request without a socket. */
export interface InjectedRequest {
  /** `GET` unless given, `POST` with a body. */
  readonly method?: string;
  /** Path and query, such as `/api/admin/v1/trading/status`. */
  readonly url: string;
  /** By name, in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text or bytes as they are, anything else as JSON; `Content-Type` is `application/json` unless `headers` has another. */
  readonly body?: unknown;
  /** The sender, in place of credentials: a principal, or the name of a user of the rig. */
  readonly as?: Principal | string;
}

export interface InjectedResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; empty without one. */
  readonly body: string;
  /** The body parsed. */
  json<T = unknown>(): T;
}

const SENDER: Needed = {
  like: `${PRINCIPAL.like} or "alice"`,
  fits: (value) => typeof value === "string" || PRINCIPAL.fits(value),
};

const checked = optionsOf<InjectedRequest>("inject", {
  method: ifGiven(textLike('"POST"')),
  url: textLike('"/api/admin/v1/trading/status"'),
  headers: ifGiven(OBJECT),
  body: ifGiven(ANYTHING),
  as: ifGiven(SENDER),
});

/** The response beside the API, as of every server. */
const UNKNOWN_PATH = nothingServed(BASE_PATH);

/** Sends requests to an API through the handler that all servers share. */
export class Injector {
  readonly #handle: ReturnType<typeof httpHandler>;
  readonly #users: RigUsers;
  /** Principals of requests in progress, by what stands for them in the `Authorization` header. */
  readonly #vouched = new Map<string, Principal>();
  #count = 0;

  constructor(api: AdminApi, users: RigUsers) {
    this.#users = users;
    this.#handle = httpHandler(api, {
      authenticator: {
        authenticate: (authorization, caller) => {
          const vouched = this.#vouched.get(authorization ?? "");
          return vouched
            ? { kind: "principal", principal: vouched }
            : users.authenticator.authenticate(authorization, caller);
        },
      },
    });
  }

  async inject(request: InjectedRequest): Promise<InjectedResponse> {
    checked(request);
    if (request.as === undefined) return this.#send(request, request.headers ?? {});
    this.#count += 1;
    const authorization = `Vouched ${this.#count}`;
    this.#vouched.set(authorization, this.#users.principalOf(request.as));
    try {
      return await this.#send(request, { ...request.headers, authorization });
    } finally {
      this.#vouched.delete(authorization);
    }
  }

  async #send(request: InjectedRequest, given: Readonly<Record<string, string>>): Promise<InjectedResponse> {
    const body = bytesOf(request.body);
    const headers = lowerCase({ ...(body && { "content-type": "application/json" }), ...given });
    if (body) headers["content-length"] ??= String(body.byteLength);
    const method = request.method ?? (body ? "POST" : "GET");
    const response = await this.#handle(requestOf(method, request.url, headers, body));
    return responseOf(response ?? UNKNOWN_PATH, method);
  }
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function lowerCase(headers: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function requestOf(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array = new Uint8Array(),
): HttpRequest {
  return {
    method: method.toUpperCase(),
    target,
    header: (name) => headers[name],
    address: "127.0.0.1",
    readBody: async () => ({ kind: "bytes", bytes: body }),
  };
}

function responseOf({ status, headers, body }: HttpResponse, method: string): InjectedResponse {
  const text = typeof body === "string" ? body : Buffer.concat(body).toString();
  const sent = method.toUpperCase() === "HEAD" ? "" : text;
  return { status, headers: lowerCase(headers), body: sent, json: () => JSON.parse(sent) };
}
