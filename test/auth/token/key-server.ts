import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { freePort } from "../../support/ports.ts";

/** What a path is answered with: JSON, or whatever the function writes. */
export type Page = object | ((request: IncomingMessage, response: ServerResponse) => void);

/** A small provider on loopback whose pages a test sets, and that can go down and come back on the same port. */
export class KeyServer {
  readonly pages = new Map<string, Page>();
  /** Paths, in the order of the requests. */
  readonly requests: string[] = [];
  #server: Server | undefined;
  #port = 0;

  static async start(pages: Readonly<Record<string, Page>> = {}): Promise<KeyServer> {
    const server = new KeyServer();
    for (const [path, page] of Object.entries(pages)) server.pages.set(path, page);
    server.#port = await freePort();
    await server.up();
    onTestFinished(() => server.down());
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    this.requests.push(path);
    const page = this.pages.get(path);
    if (typeof page === "function") page(request, response);
    else if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page));
  }
}
