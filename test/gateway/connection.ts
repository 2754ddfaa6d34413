import { connect, type Socket } from "node:net";
import { expect } from "vitest";

/** A connection on which a test writes what it likes. */
export class Connection {
  #received = "";
  #closed = false;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      this.#received += text;
    });
    socket.once("close", () => {
      this.#closed = true;
    });
    // A reset counts as closed.
    socket.on("error", () => {});
  }

  /** Connects to a server. */
  static open(origin: string, localAddress?: string): Promise<Connection> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(port),
        ...(localAddress !== undefined && { localAddress }),
      });
      socket.once("error", reject);
      socket.once("connect", () => resolve(new Connection(socket)));
    });
  }

  /** What has come so far. */
  get received(): string {
    return this.#received;
  }

  write(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** Waits until this has come. */
  async until(pattern: RegExp): Promise<void> {
    await expect.poll(() => this.#received, { interval: 5 }).toMatch(pattern);
  }

  /** Waits until the server closes the connection. */
  async closed(): Promise<void> {
    await expect.poll(() => this.#closed, { interval: 5 }).toBe(true);
  }

  /** Writes no more. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** Sends text and answers all that comes back until the server closes the connection. */
export async function exchange(origin: string, text: string): Promise<string> {
  const connection = await Connection.open(origin);
  try {
    connection.write(text);
    await connection.closed();
    return connection.received;
  } finally {
    connection.destroy();
  }
}

/** The text of a request below the base path, to the end of its headers. */
export function head(method: string, path: string, ...headers: readonly string[]): string {
  return [`${method} /api/admin/v1${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");
}

/** Checks that what came is one refusal in the API's shape, after which the connection ends. */
export function expectRefusal(received: string, status: number, error: string, message: string): void {
  const [headers = "", body = "", ...rest] = received.split("\r\n\r\n");
  expect(rest).toEqual([]);
  expect(JSON.parse(body)).toStrictEqual({ status, error, message });
  expect(headers.split("\r\n").filter((line) => !line.startsWith("Date:"))).toEqual(
    expect.arrayContaining([
      `HTTP/1.1 ${status} ${error}`,
      "Connection: close",
      "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ]),
  );
}
