import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import HttpProxy from "http-proxy";
import { hostOf } from "../../core/urls.ts";

interface OutgoingHead {
  readonly method: string;
  /** Path and query, sent unchanged. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

export interface OutgoingListener {
  /** The request is open; nothing has been sent. */
  begin(outgoing: ClientRequest): void;
  /** The request failed; may be called at any time, and more than once. */
  failed(error: Error): void;
}

/** Makes a request to the monitor on behalf of a caller. */
export type SendOutgoing = (
  request: IncomingMessage,
  response: ServerResponse,
  head: OutgoingHead,
  listener: OutgoingListener,
) => void;

/**
 * Makes requests with `http-proxy`, which has the monitor's address, TLS and connection pool. The listener does the rest, since
 * `http-proxy` does it wrongly: it joins empty path segments, drops the framing of a chunked `DELETE`, forwards hop-by-hop headers
 * and keeps upgraded sockets whose other side has closed.
 */
export function outgoingRequests(url: URL, agent: Agent): SendOutgoing {
  const proxy = HttpProxy.createProxyServer({
    target: {
      protocol: url.protocol,
      host: url.hostname,
      hostname: hostOf(url),
      port: portOf(url),
    },
    agent,
    ignorePath: true,
    selfHandleResponse: true,
  });
  proxy.on("error", (error, request) => (request as unknown as SeenRequest).listener.failed(error));
  return (request, response, head, listener) => {
    const seen = new SeenRequest(request, head, listener);
    proxy.web(seen as unknown as IncomingMessage, response);
  };
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/**
 * The parts of a request that `http-proxy` uses. It gets these in place of the caller's own request, as its documented ways come too late or
 * cannot take anything away: headers are only added to those of the caller, whose events it handles, and `proxyReq` is emitted once
 * there is a socket, when the body is already being sent.
 */
class SeenRequest {
  readonly method: string;
  readonly url = "/";
  readonly headers: OutgoingHttpHeaders;
  readonly socket: IncomingMessage["socket"];
  readonly listener: OutgoingListener;
  readonly #path: string;

  constructor(request: IncomingMessage, { method, path, headers }: OutgoingHead, listener: OutgoingListener) {
    this.method = method;
    this.headers = headers;
    this.socket = request.socket;
    this.listener = listener;
    this.#path = path;
  }

  /** The listener handles the events of the request. */
  on(): void {}

  /** Called once with the new request, in place of sending the body. */
  pipe(outgoing: ClientRequest): void {
    outgoing.path = this.#path;
    this.listener.begin(outgoing);
  }
}
