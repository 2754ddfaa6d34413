import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import HttpProxy from "http-proxy";

/** A request as the monitor is to get it. */
interface OutgoingHead {
  readonly method: string;
  /** Path and query, sent as they are. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Who makes the request of a head. */
export interface OutgoingListener {
  /** The request is made, and nothing of it is sent. */
  begin(outgoing: ClientRequest): void;
  /** The request failed; can come at any time, also more than once. */
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
 * Makes requests with `http-proxy`, which knows the monitor's address, its TLS and the pool of connections. What it would do
 * beside that is done by the listener, since it gets it wrong: it joins empty segments of paths, takes the framing from a
 * `DELETE` with chunks, hands on headers of the connection and keeps upgraded sockets when the other side is gone.
 */
export function outgoingRequests(url: URL, agent: Agent): SendOutgoing {
  const proxy = HttpProxy.createProxyServer({
    target: {
      protocol: url.protocol,
      host: url.hostname,
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
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

/** All that `http-proxy` looks at of a request. */
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

  /** Events of the request are the listener's business. */
  on(): void {}

  /** Called once with the new request, in place of sending the body. */
  pipe(outgoing: ClientRequest): void {
    outgoing.path = this.#path;
    this.listener.begin(outgoing);
  }
}
