import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Gateway } from "../../../src/gateway/gateway.ts";
import { Connection } from "../connection.ts";
import { InstallationFolder } from "../folder.ts";

/** A request as it reached the monitor. */
interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly trailers: NodeJS.Dict<string>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A monitor backend of a test. It tells what reaches it, and answers 200 `monitor` unless told otherwise. */
class MonitorBackend {
  readonly server: Server = createServer((request, response) => this.answer(request, response));
  readonly seen: Seen[] = [];
  answer: Answer = (request, response) => this.#greet(request, response);

  /** Reads a request to its end. */
  take(request: IncomingMessage, then: (seen: Seen) => void): void {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const { method, url, headers, rawHeaders, trailers } = request;
      const seen = { method, url, headers, rawHeaders, trailers, body: Buffer.concat(chunks).toString("latin1") };
      this.seen.push(seen);
      then(seen);
    });
  }

  /** Forgets what was seen, and answers as in the beginning. */
  reset(): void {
    this.seen.length = 0;
    this.answer = (request, response) => this.#greet(request, response);
  }

  #greet(request: IncomingMessage, response: ServerResponse): void {
    this.take(request, () => response.end("monitor"));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }
}

/** A gateway with a monitor backend behind it. */
export class ProxyWorld {
  readonly backend = new MonitorBackend();
  readonly folder = new InstallationFolder();
  readonly #open: Connection[] = [];
  #gateway: Gateway | undefined;

  /** Starts both; `yaml` are further settings. */
  static async start(yaml = ""): Promise<ProxyWorld> {
    const world = new ProxyWorld();
    const url = await world.backend.listen();
    await world.open(`gateway.monitor.url: ${url}\n${yaml}`);
    return world;
  }

  /** Starts the gateway with these settings. */
  async open(yaml: string): Promise<void> {
    this.#gateway = await this.folder.start(yaml);
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error("the gateway is not started");
    return this.#gateway;
  }

  get url(): string {
    return this.gateway.url;
  }

  /** Opens a connection on which the test writes what it likes. */
  async connect(): Promise<Connection> {
    const connection = await Connection.open(this.url);
    this.#open.push(connection);
    return connection;
  }

  /** Sends text, waits for what `pattern` says, and answers all that came. */
  async exchange(text: string, pattern: RegExp): Promise<string> {
    const connection = await this.connect();
    connection.write(text);
    await connection.until(pattern);
    return connection.received;
  }

  async close(): Promise<void> {
    for (const connection of this.#open) connection.destroy();
    await this.folder.close();
    await this.backend.close();
  }
}

/** The text of a request, its lines joined. */
export function text(...lines: readonly string[]): string {
  return [...lines, "", ""].join("\r\n");
}
