import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNatsServer } from "./nats-binary.ts";

/** A running `nats-server` of its own. */
export interface NatsServer {
  /** `nats://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number | undefined;
  /** Ends it and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** What a server may have different from the usual one. */
export interface NatsServerOptions {
  /** More lines of its configuration: `authorization`, `tls`, `max_payload`. */
  readonly configuration?: string;
}

const PATIENCE_MS = 15_000;

/** Starts a server on a free port of the loopback address. */
export async function startNatsServer({ configuration = "" }: NatsServerOptions = {}): Promise<NatsServer> {
  const { path, how } = await findNatsServer();
  process.stderr.write(`nats-server: ${path} (${how})\n`);
  const folder = await mkdtemp(join(tmpdir(), "trading-admin-nats-"));
  const port = await freePort();
  const file = join(folder, "nats.conf");
  await writeFile(file, `listen: "127.0.0.1:${port}"\n${configuration}\n`);
  let child = await start(path, file);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid;
    },
    restart: async () => {
      await end(child);
      child = await start(path, file);
    },
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(path: string, file: string): Promise<ChildProcess> {
  const child = spawn(path, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nats-server does not start:\n${log}`)), PATIENCE_MS);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (!log.includes("Server is ready")) return;
      clearTimeout(timer);
      resolve();
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`nats-server ended with ${code}:\n${log}`)));
  });
  await ready;
  return child;
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
