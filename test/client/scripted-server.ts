import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request as it came. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request, or leaves it without a response. `count` requests came before it. */
export type Script = (response: ServerResponse, request: SeenRequest, count: number) => unknown;

/** A server on loopback that responds as a test says, and keeps what it was sent. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server, script: Script) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", async (request, response) => {
      const { method = "", url: path = "", headers } = request;
      const seen = { method, path, headers, body: await text(request) };
      this.requests.push(seen);
      await script(response, seen, this.requests.length - 1);
    });
  }

  static async start(script: Script): Promise<ScriptedServer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const scripted = new ScriptedServer(server, script);
    onTestFinished(() => scripted.stop());
    return scripted;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Accepts a command, as the API does. */
export function accept(response: ServerResponse): void {
  response.writeHead(200, { "X-Admin-Outcome": "applied" }).end();
}

/** An error body of the API. */
export function errorBody(status: number, message: string): object {
  return { status, error: "Error", message };
}
