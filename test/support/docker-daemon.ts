import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { CACHE, unpackDebian } from "./debian-packages.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** A `dockerd` that can be started, and the variables it needs. */
interface FoundDaemon {
  readonly environment: NodeJS.ProcessEnv;
  readonly how: string;
}

/**
 * Starts a Docker engine for this run: images and containers below `node_modules/.cache`, a bridge of its own, published ports
 * on the loopback address only, no rules for the machine's packet filter. Rejects where that is not possible.
 */
export async function startDockerDaemon(answers: (host: string) => Promise<boolean>): Promise<DockerEngine> {
  if (process.getuid?.() !== 0) {
    throw new Error("none runs on this machine, and only root can start one (DOCKER_HOST names another)");
  }
  const { environment, how } = await findDaemon();
  const daemon = await DockerDaemon.launch(environment);
  try {
    await daemon.answering(answers);
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return { host: daemon.host, how, stop: () => daemon.stop() };
}

async function findDaemon(): Promise<FoundDaemon> {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  if (folders.some((folder) => existsSync(join(folder, "dockerd")))) {
    return { environment: process.env, how: "started here, dockerd of this machine" };
  }
  const { environment } = await unpackDebian({
    name: "docker",
    packages: ["docker.io", "containerd", "runc"],
    programs: ["usr/sbin/dockerd", "usr/bin/containerd", "usr/sbin/runc"],
  });
  return { environment, how: "started here, dockerd of the Debian package docker.io" };
}

class DockerDaemon {
  readonly host: string;
  readonly #child: ChildProcess;
  readonly #folders: Folders;
  readonly #bridge: string;
  readonly #endAtExit = (): void => void this.#child.kill("SIGTERM");

  private constructor(child: ChildProcess, folders: Folders, bridge: string) {
    this.#child = child;
    this.#folders = folders;
    this.#bridge = bridge;
    this.host = `unix://${join(folders.run, "docker.sock")}`;
    process.once("exit", this.#endAtExit);
  }

  static async launch(environment: NodeJS.ProcessEnv): Promise<DockerDaemon> {
    const folders = await makeFolders();
    const bridge = await addBridge();
    const log = await open(join(folders.run, "dockerd.log"), "w");
    try {
      // It ends with this process, however that ends.
      const args = ["--pdeathsig", "SIGTERM", "dockerd", ...daemonOptions(folders, bridge)];
      const child = spawn("setpriv", args, { env: environment, stdio: ["ignore", log.fd, log.fd] });
      // A program that cannot be started counts as ended; `answering` says so.
      child.on("error", () => {});
      return new DockerDaemon(child, folders, bridge);
    } finally {
      await log.close();
    }
  }

  async answering(answers: (host: string) => Promise<boolean>): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      if (this.#hasEnded) throw new Error(`dockerd ends immediately: ${await this.#lastLines()}`);
      return answers(this.host);
    };
    const waiting = { limitMs: START_TIMEOUT_MS, everyMs: POLL_MS };
    await until(isThere, async () => `dockerd answers: ${await this.#lastLines()}`, waiting);
  }

  async stop(): Promise<void> {
    process.off("exit", this.#endAtExit);
    if (!this.#hasEnded) this.#child.kill("SIGTERM");
    for (const end = Date.now() + STOP_TIMEOUT_MS; !this.#hasEnded; await pause(POLL_MS)) {
      if (Date.now() > end) this.#child.kill("SIGKILL");
    }
    await run("ip", ["link", "del", this.#bridge]);
    for (const folder of Object.values(this.#folders)) await rm(folder, { recursive: true, force: true });
  }

  get #hasEnded(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #lastLines(): Promise<string> {
    const text = await readFile(join(this.#folders.run, "dockerd.log"), "utf8");
    return text.trimEnd().split("\n").slice(-3).join(" | ");
  }
}

/** `run` holds the socket, whose path must be short. */
interface Folders {
  readonly data: string;
  readonly run: string;
}

async function makeFolders(): Promise<Folders> {
  await mkdir(CACHE, { recursive: true });
  await sweep();
  return {
    data: await mkdtemp(join(CACHE, `docker-data-${process.pid}-`)),
    run: await mkdtemp(join(tmpdir(), `dockerd-${process.pid}-`)),
  };
}

/** Runs that were killed leave their folders and their bridge. */
async function sweep(): Promise<void> {
  for (const [parent, pattern] of [
    [CACHE, /^docker-data-(\d+)-/],
    [tmpdir(), /^dockerd-(\d+)-/],
  ] as const) {
    for (const name of await readdir(parent)) {
      if (isOfEndedRun(pattern, name)) await rm(join(parent, name), { recursive: true, force: true });
    }
  }
  for (const name of Object.keys(networkInterfaces())) {
    if (isOfEndedRun(/^trading(\d+)$/, name)) await run("ip", ["link", "del", name]);
  }
}

function isOfEndedRun(pattern: RegExp, name: string): boolean {
  const [, pid] = pattern.exec(name) ?? [];
  return pid !== undefined && !existsSync(`/proc/${pid}`);
}

function daemonOptions({ data, run: folder }: Folders, bridge: string): string[] {
  return [
    `--data-root=${data}`,
    `--exec-root=${join(folder, "exec")}`,
    `--pidfile=${join(folder, "dockerd.pid")}`,
    `--host=unix://${join(folder, "docker.sock")}`,
    `--bridge=${bridge}`,
    "--ip=127.0.0.1",
    "--iptables=false",
    "--ip6tables=false",
    "--ip-forward=false",
    "--ip-masq=false",
  ];
}

/** A bridge of its own: engines of other runs do not share it, and its name tells whose it is. */
async function addBridge(): Promise<string> {
  const taken = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
  const third = Array.from({ length: 200 }, (_, at) => (process.pid + at) % 250).find(
    (number) => !taken.some((address) => address.startsWith(`172.29.${number}.`)),
  );
  const name = `trading${process.pid}`;
  await run("ip", ["link", "add", name, "type", "bridge"]);
  await run("ip", ["address", "add", `172.29.${third}.1/24`, "dev", name]);
  await run("ip", ["link", "set", name, "up"]);
  return name;
}
