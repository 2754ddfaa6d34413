import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FoundProgram } from "./find-program.ts";
import { findNatsServer } from "./nats-binary.ts";
import { connects, freePort } from "./ports.ts";
import { standStill } from "./stand-still.ts";
import { until } from "./until.ts";

/** A `nats-server` process of its own. */
export interface NatsServer {
  /** `nats://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number | undefined;
  /** Ends the process for good. */
  stop(): Promise<void>;
  /** Ends the process as a crash would; it can be restarted. */
  crash(): Promise<void>;
  /** Ends the process, if it still runs, and starts it again on the same port. */
  restart(): Promise<void>;
  /** Stops the process for a while: its connections stay, and nothing comes over them. */
  freeze(): void;
  thaw(): void;
  /** Takes another configuration while it runs. */
  reload(configuration: string): Promise<void>;
}

/** What a server has different from the usual one. */
export interface NatsServerOptions {
  /** More lines of its configuration: `authorization`, `tls`, `max_payload`. */
  readonly configuration?: string;
}

/** Found once for all servers that a test file starts. */
let program: Promise<FoundProgram> | undefined;

const POLL_MS = 10;
const CONFIGURATION_FILE = "nats.conf";

/** Starts a server on a free port of the loopback address. */
export async function startNatsServer({ configuration = "" }: NatsServerOptions = {}): Promise<NatsServer> {
  program ??= announced();
  const { path } = await program;
  const folder = await mkdtemp(join(tmpdir(), "nats-server-"));
  try {
    const port = await freePort();
    await configure(folder, port, configuration);
    const child = launch(path, folder);
    await listening(child, port);
    return new ServerProcess(path, folder, port, child);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

class ServerProcess implements NatsServer {
  readonly url: string;
  readonly port: number;
  readonly #path: string;
  readonly #folder: string;
  readonly #killAtExit = (): void => void this.#child.kill("SIGKILL");
  #child: ChildProcess;

  constructor(path: string, folder: string, port: number, child: ChildProcess) {
    this.url = `nats://127.0.0.1:${port}`;
    this.port = port;
    this.#path = path;
    this.#folder = folder;
    this.#child = child;
    process.once("exit", this.#killAtExit);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    process.off("exit", this.#killAtExit);
    await this.crash();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async crash(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async restart(): Promise<void> {
    await this.crash();
    this.#child = launch(this.#path, this.#folder);
    await listening(this.#child, this.port);
  }

  freeze(): void {
    standStill(this.#child);
  }

  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  async reload(configuration: string): Promise<void> {
    await configure(this.#folder, this.port, configuration);
    this.#child.kill("SIGHUP");
  }
}

function configure(folder: string, port: number, more: string): Promise<void> {
  const lines = ['host: "127.0.0.1"', `port: ${port}`, more, ""];
  return writeFile(join(folder, CONFIGURATION_FILE), lines.join("\n"));
}

async function announced(): Promise<FoundProgram> {
  const found = await findNatsServer();
  process.stderr.write(`nats-server: ${found.path}, ${found.how}\n`);
  return found;
}

function launch(path: string, folder: string): ChildProcess {
  const child = spawn(path, ["-c", join(folder, CONFIGURATION_FILE)], { stdio: ["ignore", "ignore", "pipe"] });
  // Node would throw it; a server that does not start has no port either, which is noticed.
  child.on("error", () => {});
  return child;
}

/** Waits until a server listens. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    // Enough to explain a failed start; later only that the pipe is emptied matters.
    if (log.length < 10_000) log += text;
  });
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`nats-server did not start:\n${log}`);
    return log.includes("Server is ready") && connects(port);
  };
  try {
    await until(isReady, () => `nats-server did not start:\n${log}`, { everyMs: POLL_MS });
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}
