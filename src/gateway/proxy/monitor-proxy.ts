import { randomBytes } from "node:crypto";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Gate } from "../../core/load/gate.ts";
import type { Logger } from "../../core/logger.ts";
import type { NodeListener } from "../../http/node.ts";
import { asksForWebSocket, type UpgradeListener } from "../server/request-head.ts";
import { type ConnectionOptions, MonitorConnections } from "./connections.ts";
import { Exchange, type UpgradeTaker } from "./exchange.ts";
import type { Forwarding } from "./forwarding-headers.ts";
import { outgoingRequests, type SendOutgoing } from "./http-proxy.ts";
import {
  bodyFraming,
  type HeaderFilter,
  monitorTarget,
  requestHeaders,
  respondWithText,
  responseHeaders,
} from "./messages.ts";
import type { SharedOrigin } from "./shared-origin.ts";
import { joinSockets, type TunnelTimeouts } from "./tunnel.ts";

/** Timeouts of an upgraded connection. Nobody waits for a WebSocket whose other side has gone. */
const UPGRADED: TunnelTimeouts = { lingerMs: 5_000, stallMs: 60_000 };

export interface MonitorProxyOptions extends ConnectionOptions {
  /** Decides when what the monitor sends is handed on. */
  readonly gate: Gate;
  /** Timeout for the monitor's response, in milliseconds. */
  readonly responseTimeoutMs: number;
  readonly forwarding: Forwarding;
  /** Whether a target means one of the gateway's own paths, to any reader of it. */
  readonly isOurs: (target: string) => boolean;
  /** Undefined where our pages have another origin than the monitor's. */
  readonly shared?: SharedOrigin | undefined;
  readonly log: Logger;
}

/** Forwards requests for paths other than the gateway's to the monitor backend, including WebSocket connections. */
export class MonitorProxy {
  readonly #options: MonitorProxyOptions;
  readonly #connections: MonitorConnections;
  readonly #send: SendOutgoing;
  readonly #ended: (error: Error | undefined) => void;
  /** Name of this gateway in `Via`, to detect loops. */
  readonly #name = `trading-admin-${randomBytes(6).toString("hex")}`;
  readonly #upgraded = new Set<Socket>();
  readonly #passes: HeaderFilter = (name, value) => this.#options.shared?.passes(name, value) ?? true;

  constructor(options: MonitorProxyOptions) {
    this.#options = options;
    this.#connections = new MonitorConnections(options);
    this.#send = outgoingRequests(options.url, this.#connections.agent);
    this.#ended = reachability(options.log);
  }

  /** Serves requests; paths that might be read as the gateway's go to `notFound`. */
  serve(notFound: NodeListener): NodeListener {
    return (request, response) => {
      if (this.#options.isOurs(request.url ?? "/")) return notFound(request, response);
      // A pipelined request waits for the responses before it.
      if (response.socket) this.#forward(request, response);
      else response.once("socket", () => this.#forward(request, response));
    };
  }

  /** Takes over WebSocket connections to the monitor, with the bytes after the request. */
  readonly takeUpgrade: UpgradeListener = (request, socket, head) => {
    if (!asksForWebSocket(request) || this.#options.isOurs(request.url ?? "/")) return false;
    this.#upgrade(request, socket, head);
    return true;
  };

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    // A response other than the switch of protocols ends the connection.
    response.once("finish", () => {
      response.detachSocket(socket);
      socket.destroySoon();
    });
    // Node reads on until the buffer is full, so that a caller who disconnects meanwhile is noticed.
    const leave = (): void => void socket.destroy();
    socket.once("end", leave);
    this.#forward(request, response, (reply, monitorSocket, monitorHead) => {
      socket.off("end", leave);
      response.detachSocket(socket);
      this.#join(socket, monitorSocket, head, monitorHead);
      socket.write(switchingHead(reply, this.#passes), "latin1");
    });
  }

  /** Closes upgraded connections and those to the monitor. */
  close(): void {
    for (const socket of this.#upgraded) socket.destroy();
    this.#connections.close();
  }

  #forward(request: IncomingMessage, response: ServerResponse, upgraded?: UpgradeTaker): void {
    const target = monitorTarget(request);
    const framing = bodyFraming(request);
    if (target === undefined) {
      respondWithText(response, 400, "The request target is not one of this server");
      return;
    }
    if (framing === undefined) {
      respondWithText(response, 501, "The transfer coding of the request is not supported");
      return;
    }
    if (this.#options.shared?.isForWorker(request)) {
      respondWithText(
        response,
        403,
        "Service workers need gateway.pages.host: here one could reach the pages of the gateway",
      );
      return;
    }
    if (request.headers.via?.includes(this.#name)) {
      respondWithText(response, 508, "The monitor backend sends requests back to this gateway");
      return;
    }
    const { forwarding, gate, responseTimeoutMs } = this.#options;
    const headers = requestHeaders(request, target, forwarding, `1.1 ${this.#name}`);
    this.#options.shared?.takeCredentials(request, headers);
    if (upgraded) Object.assign(headers, { connection: "Upgrade", upgrade: "websocket" });
    const head = { method: request.method ?? "GET", path: target.path, headers };
    const exchange = new Exchange({
      request,
      response,
      framing,
      gate,
      responseTimeoutMs,
      passes: this.#passes,
      send: (listener) => this.#send(request, response, head, listener),
      outcome: this.#ended,
      ...(upgraded && { upgraded }),
    });
    exchange.start();
  }

  #join(socket: Socket, monitorSocket: Socket, head: Buffer, monitorHead: Buffer): void {
    for (const end of [socket, monitorSocket]) {
      end.setNoDelay(true);
      // The operating system detects a vanished peer.
      end.setKeepAlive(true);
    }
    if (head.length > 0) socket.unshift(head);
    if (monitorHead.length > 0) monitorSocket.unshift(monitorHead);
    this.#upgraded.add(socket);
    joinSockets(socket, monitorSocket, this.#options.gate, UPGRADED, () => this.#upgraded.delete(socket));
  }
}

function switchingHead(reply: IncomingMessage, passes: HeaderFilter): string {
  const headers = [...responseHeaders(reply, false, passes), "Connection", "Upgrade", "Upgrade", "websocket"];
  const lines = headers.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`;
}

/**
 * Logs when the monitor becomes unreachable and when it is reachable again, not each request. Takes the end of a request: a response,
 * or an error instead.
 */
function reachability(log: Logger): (error: Error | undefined) => void {
  let wasReached = true;
  return (error) => {
    const isReached = error === undefined;
    if (isReached === wasReached) return;
    wasReached = isReached;
    if (isReached) log.info("The monitor backend responds again");
    else log.warn(`The monitor backend does not respond: ${error.message}`);
  };
}
