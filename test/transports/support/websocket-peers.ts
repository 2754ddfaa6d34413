import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { type ClientOptions, WebSocket, WebSocketServer } from "ws";
import { until } from "../../support/until.ts";

/** An engine's end whose every frame is the test's. */
export interface ScriptedEngine {
  readonly url: string;
  /** Requests that have arrived, parsed. */
  readonly requests: { readonly id: number; readonly method: string }[];
  /** The connection of the gateway; throws while there is none. */
  readonly socket: WebSocket;
  readonly connections: number;
  close(): Promise<void>;
}

export interface ScriptedEngineOptions {
  readonly subprotocol?: string | false;
  /** Runs for each connection. */
  readonly onConnection?: (socket: WebSocket, tcp: Socket) => void;
}

/** Opens an engine's end without any of the project's code. */
export async function openScriptedEngine(options: ScriptedEngineOptions = {}): Promise<ScriptedEngine> {
  const { subprotocol = "trading-admin.v1", onConnection } = options;
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => subprotocol });
  const requests: ScriptedEngine["requests"] = [];
  const sockets: WebSocket[] = [];
  server.on("connection", (socket, request) => {
    sockets.push(socket);
    socket.on("error", () => socket.terminate());
    socket.on("message", (data) => requests.push(JSON.parse(String(data))));
    onConnection?.(socket, request.socket);
  });
  await once(server, "listening");
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get socket() {
      const socket = sockets.at(-1);
      if (!socket) throw new Error("no gateway has connected");
      return socket;
    },
    get connections() {
      return sockets.length;
    },
    close: async () => {
      for (const socket of sockets) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

/** A gateway's end whose every frame is the test's. */
export class RawGateway {
  readonly socket: WebSocket;
  /** Messages that have come, parsed. */
  readonly received: Record<string, unknown>[] = [];
  closeCode: number | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.received.push(JSON.parse(String(data))));
    socket.on("close", (code) => {
      this.closeCode = code;
    });
  }

  static async connect(url: string, options: ClientOptions = {}): Promise<RawGateway> {
    const gateway = new RawGateway(new WebSocket(url, "trading-admin.v1", { perMessageDeflate: false, ...options }));
    await once(gateway.socket, "open");
    return gateway;
  }

  /** Sends a frame and answers the next message that comes. */
  async ask(frame: string | Buffer): Promise<Record<string, unknown>> {
    const before = this.received.length;
    this.socket.send(frame);
    await until(() => this.received.length > before, "the engine answers");
    return this.received[before] ?? {};
  }
}

/** Why an engine refused a connection: status and body of its HTTP answer. */
export async function refusal(url: string, protocol: string[], headers: Record<string, string>): Promise<string> {
  const socket = new WebSocket(url, protocol, { headers, perMessageDeflate: false });
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.on("open", () => {
      socket.terminate();
      resolve("accepted");
    });
    socket.on("unexpected-response", (_request, response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve(`${response.statusCode}: ${body}`));
    });
  });
}
