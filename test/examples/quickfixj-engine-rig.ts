import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WebSocketTransport } from "../../transports/websocket.ts";
import { javaExample } from "../support/java-example.ts";
import { JavaProgram } from "../support/java-program.ts";
import { freePort } from "../support/ports.ts";
import { dial } from "./python-engine-gateway.ts";
import { type ServingProcess, startServing } from "./serving-process.ts";

export const FOLDER = fileURLToPath(new URL("../../examples/quickfixj-engine", import.meta.url));
export const TOKEN = "token-of-the-test";
export const CLIENTS = ["CLIENT1", "CLIENT2", "CLIENT3"] as const;

/** Arguments of `java` for the classes of the example, which uses the bus of the starter. */
function classPath(): Promise<readonly string[]> {
  return javaExample("quickfixj-engine", "java-engine");
}

/** The engine alone, to which nobody logs on. `close` ends it. */
export async function startEngineAlone(): Promise<Pick<ServingProcess, "url" | "close">> {
  const java = await classPath();
  const folder = mkdtempSync(join(tmpdir(), "quickfixj-engine-"));
  writeFileSync(join(folder, "fix.cfg"), settings(folder, await freePort(), await freePort()));
  const engine = await startEngine(java, folder);
  const close = async (): Promise<void> => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: engine.url, close };
}

/** A venue, the engine of the example and its three clients, each a process that speaks FIX through QuickFIX/J. */
export class QuickFixRig {
  readonly clients: Record<(typeof CLIENTS)[number], JavaProgram>;
  readonly #java: readonly string[];
  readonly #folder: string;
  readonly #venue: ServingProcess;
  #engine: ServingProcess;
  #transport: WebSocketTransport;

  private constructor(
    java: readonly string[],
    folder: string,
    venue: ServingProcess,
    engine: ServingProcess,
    transport: WebSocketTransport,
    clients: QuickFixRig["clients"],
  ) {
    this.#java = java;
    this.#folder = folder;
    this.#venue = venue;
    this.#engine = engine;
    this.#transport = transport;
    this.clients = clients;
  }

  /** All sessions are logged on. */
  static async start(): Promise<QuickFixRig> {
    const java = await classPath();
    const folder = mkdtempSync(join(tmpdir(), "quickfixj-engine-"));
    const [fixPort, venuePort] = [await freePort(), await freePort()];
    writeFileSync(join(folder, "fix.cfg"), settings(folder, fixPort, venuePort));
    const venueStore = join(folder, "venue");
    const venue = await startServing(
      "java",
      [...java, "demo.Venue", String(venuePort), venueStore],
      {},
      /^venue listening on (\S+)$/m,
    );
    const engine = await startEngine(java, folder);
    const clients = Object.fromEntries(
      CLIENTS.map((name) => [
        name,
        new JavaProgram([...java, "demo.Client", String(fixPort), name, join(folder, name)]),
      ]),
    ) as QuickFixRig["clients"];
    for (const name of CLIENTS) await clients[name].prints(/^logged on$/);
    return new QuickFixRig(java, folder, venue, engine, await dial({ url: engine.url, token: TOKEN }), clients);
  }

  /** The link to the engine. */
  get transport(): WebSocketTransport {
    return this.#transport;
  }

  get url(): string {
    return this.#engine.url;
  }

  /** The engine dies without a word, and another process takes its place. */
  async restartEngine(): Promise<void> {
    await this.#transport.close();
    await this.#engine.close();
    this.#engine = await startEngine(this.#java, this.#folder);
    this.#transport = await dial({ url: this.#engine.url, token: TOKEN });
  }

  async close(): Promise<void> {
    for (const name of CLIENTS) await this.clients[name].close();
    await this.#transport.close();
    await this.#engine.close();
    await this.#venue.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The example's settings with other ports, and sequence numbers in a folder of the test. */
function settings(folder: string, fixPort: number, venuePort: number): string {
  return readFileSync(join(FOLDER, "fix.cfg"), "utf8")
    .replace("SocketAcceptPort=9880", `SocketAcceptPort=${fixPort}`)
    .replace("SocketConnectPort=9890", `SocketConnectPort=${venuePort}`)
    .replace("FileStorePath=store", `FileStorePath=${join(folder, "engine")}`);
}

function startEngine(java: readonly string[], folder: string): Promise<ServingProcess> {
  const options = ["--listen", "127.0.0.1:0", "--token-env", "ENGINE_TOKEN", "--fix", join(folder, "fix.cfg")];
  return startServing(
    "java",
    [...java, "engine.Engine", ...options],
    { env: { PATH: process.env.PATH, ENGINE_TOKEN: TOKEN } },
    /^engine listening on (ws:\/\/\S+)$/m,
  );
}
