// Processes of a cluster: started with a log in its folder, frozen, killed, and ended with the program that started them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const END_MS = 20_000;

/** A process that can be started again with what it was started with. */
export class Part {
  #child;
  #start;

  constructor(name, folder, program, args, environment = process.env) {
    this.name = name;
    this.logFile = join(folder, `${name}.log`);
    this.#start = () => {
      const log = openSync(this.logFile, "a");
      return spawn(program, args, { cwd: folder, stdio: ["ignore", log, log], env: environment });
    };
  }

  start() {
    this.#child = this.#start();
    // A program that does not exist shows as one that has ended.
    this.#child.on("error", (error) => console.error(`${this.name}: ${error.message}`));
  }

  get isRunning() {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get log() {
    return existsSync(this.logFile) ? readFileSync(this.logFile, "utf8") : "";
  }

  freeze() {
    this.#child.kill("SIGSTOP");
  }

  thaw() {
    this.#child.kill("SIGCONT");
  }

  /** Ends it with a signal; with SIGKILL if it does not end. */
  async end(signal = "SIGTERM") {
    if (!this.isRunning) return;
    const exit = once(this.#child, "exit");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
    this.#child.kill(signal);
    // A process that is stopped notices no signal but SIGKILL.
    this.#child.kill("SIGCONT");
    await exit;
    clearTimeout(late);
  }
}

/** Waits until something is so. */
export async function until(what, holds, limitMs = 30_000) {
  for (const end = Date.now() + limitMs; Date.now() < end; await pause(50)) if (await holds()) return;
  throw new Error(`in ${limitMs / 1000} s this was not so: ${what}`);
}

/** Ports of the loopback address that are free now, all different. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** Path of a program: what the variable names, else from the search path; undefined if there is none. */
export function findProgram(name, variable) {
  const named = process.env[variable];
  if (named !== undefined) {
    if (!existsSync(named)) throw new Error(`${variable} names ${named}, which does not exist`);
    return named;
  }
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, name)).find(existsSync);
}
