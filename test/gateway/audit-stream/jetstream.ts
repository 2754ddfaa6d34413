import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type NatsServer, startNatsServer } from "../../support/nats-server.ts";

/** The messages of a stream, from the first on. */
export async function streamMessages(connection: NatsConnection, stream: string): Promise<StoredMsg[]> {
  const { streams } = await jetstreamManager(connection);
  const { state } = await streams.info(stream);
  const found: StoredMsg[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await streams.getMessage(stream, { seq });
    if (message) found.push(message);
  }
  return found;
}

/** A `nats-server` with JetStream, whose store outlives it. */
export class JetStreamServer {
  readonly #store: string;
  readonly #server: NatsServer;

  private constructor(store: string, server: NatsServer) {
    this.#store = store;
    this.#server = server;
  }

  static async start(more = ""): Promise<JetStreamServer> {
    const store = mkdtempSync(join(tmpdir(), "trading-admin-jetstream-"));
    return new JetStreamServer(
      store,
      await startNatsServer({ configuration: `jetstream { store_dir: "${store}" }\n${more}` }),
    );
  }

  get url(): string {
    return this.#server.url;
  }

  crash(): Promise<void> {
    return this.#server.crash();
  }

  restart(): Promise<void> {
    return this.#server.restart();
  }

  freeze(): void {
    this.#server.freeze();
  }

  thaw(): void {
    this.#server.thaw();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#store, { recursive: true, force: true });
  }

  /** Uses its own connection. */
  async connected<T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: this.url });
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  }

  /** The messages of a stream, from the first on. */
  messages(stream: string): Promise<StoredMsg[]> {
    return this.connected((connection) => streamMessages(connection, stream));
  }

  /** What a stream holds, as the lines of a file. */
  async lines(stream: string): Promise<string> {
    return (await this.messages(stream)).map(({ data }) => `${Buffer.from(data).toString()}\n`).join("");
  }
}
