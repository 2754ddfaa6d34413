import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type FoundProgram, findProgram, type WantedProgram } from "./find-program.ts";
import { connects, freePort } from "./ports.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

/** Where a proxy runs. */
export interface ProxyPlace {
  readonly program: FoundProgram;
  /** A folder of its own. */
  readonly folder: string;
  /** What its process may write about what is wrong. */
  readonly log: string;
  /** Its configuration. */
  readonly file: string;
}

/** A kind of proxy. */
export interface ProxyKind {
  readonly program: WantedProgram;
  /** The whole configuration around what a document has. */
  configuration(place: ProxyPlace, site: string): string;
  /** Arguments with which it runs in the foreground. */
  arguments(place: ProxyPlace): readonly string[];
  /** Added to them, it checks the configuration and ends. */
  readonly check: string;
}

/** A proxy in its own folder, on a free port of the loopback address. */
export class ProxyProcess {
  readonly port: number;
  readonly #kind: ProxyKind;
  readonly #place: ProxyPlace;
  readonly #killAtExit = (): void => void this.#child?.kill("SIGKILL");
  #child: ChildProcess | undefined;

  private constructor(kind: ProxyKind, place: ProxyPlace, port: number) {
    this.#kind = kind;
    this.#place = place;
    this.port = port;
  }

  /** Starts one with the site that is made for its port. Rejects when it refuses the configuration. */
  static async start(kind: ProxyKind, site: (port: number) => string): Promise<ProxyProcess> {
    const program = await findProgram(kind.program);
    const folder = await mkdtemp(join(tmpdir(), `${kind.program.name}-`));
    const place = { program, folder, log: join(folder, "error.log"), file: join(folder, "proxy.conf") };
    const proxy = new ProxyProcess(kind, place, await freePort());
    try {
      await proxy.configure(site(proxy.port));
      await proxy.#launch();
      return proxy;
    } catch (error) {
      await proxy.stop();
      throw error;
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Writes another configuration, which counts once the proxy is told to read it. Rejects when it is refused. */
  async configure(site: string): Promise<void> {
    await writeFile(this.#place.file, this.#kind.configuration(this.#place, site));
    const args = [...this.#kind.arguments(this.#place), this.#kind.check];
    await run(this.#place.program.path, args, { env: this.#place.program.environment });
  }

  /** Waits for what a running proxy does. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    const log = (): Promise<string> => readFile(this.#place.log, "utf8").catch(() => "it wrote no log");
    const holds = async (): Promise<boolean> => {
      if (this.#child?.exitCode !== null) throw new Error(`${this.#kind.program.name} has ended: ${await log()}`);
      return condition();
    };
    await until(holds, log, { everyMs: 20 });
  }

  async stop(): Promise<void> {
    process.off("exit", this.#killAtExit);
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    await rm(this.#place.folder, { recursive: true, force: true });
  }

  async #launch(): Promise<void> {
    const { program } = this.#place;
    this.#child = spawn(program.path, this.#kind.arguments(this.#place), {
      env: program.environment,
      stdio: "ignore",
    });
    process.once("exit", this.#killAtExit);
    await this.until(() => connects(this.port));
  }
}
