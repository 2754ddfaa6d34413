import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { unpackDebian } from "./debian-packages.ts";
import { connects, freePort } from "./ports.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

interface FoundNginx {
  readonly path: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Finds `nginx`: what `NGINX` names, else on the search path, else Debian's package, unpacked below `node_modules/.cache`. */
async function findNginx(): Promise<FoundNginx> {
  const named = process.env.NGINX;
  if (named !== undefined) {
    if (existsSync(named)) return { path: named, environment: process.env };
    throw new Error(`NGINX names ${named}, which does not exist`);
  }
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  const found = folders.map((folder) => join(folder, "nginx")).find(existsSync);
  if (found !== undefined) return { path: found, environment: process.env };
  const { root, environment } = await unpackDebian({
    name: "nginx",
    packages: ["nginx"],
    programs: ["usr/sbin/nginx"],
  });
  return { path: join(root, "usr", "sbin", "nginx"), environment };
}

/** An nginx of its own, in a folder of its own. */
export class Nginx {
  readonly port: number;
  readonly #nginx: FoundNginx;
  readonly #folder: string;
  readonly #killAtExit = (): void => void this.#child?.kill("SIGKILL");
  #child: ChildProcess | undefined;

  private constructor(nginx: FoundNginx, folder: string, port: number) {
    this.#nginx = nginx;
    this.#folder = folder;
    this.port = port;
  }

  /** Starts it with what stands inside `http { }`, which is made for a free port. Rejects when nginx refuses the configuration. */
  static async start(site: (port: number) => string): Promise<Nginx> {
    const nginx = new Nginx(await findNginx(), await mkdtemp(join(tmpdir(), "nginx-")), await freePort());
    try {
      await nginx.#configure(site(nginx.port));
      await nginx.#launch();
      return nginx;
    } catch (error) {
      await nginx.stop();
      throw error;
    }
  }

  /** Takes another configuration over as `nginx -s reload` does, and waits until the processes with the old one are gone. */
  async reload(site: string): Promise<void> {
    await this.#configure(site);
    const before = await this.#workers();
    this.#child?.kill("SIGHUP");
    await this.#until(async () => {
      const now = await this.#workers();
      return now.length > 0 && now.every((pid) => !before.includes(pid));
    });
  }

  async stop(): Promise<void> {
    process.off("exit", this.#killAtExit);
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #launch(): Promise<void> {
    const child = spawn(this.#nginx.path, this.#arguments(), { env: this.#nginx.environment, stdio: "ignore" });
    this.#child = child;
    process.once("exit", this.#killAtExit);
    await this.#until(() => connects(this.port));
  }

  async #configure(site: string): Promise<void> {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
    const text = [
      ...(process.getuid?.() === 0 ? ["user root;"] : []),
      "daemon off; worker_processes 1; pid nginx.pid;",
      `error_log ${join(this.#folder, "error.log")};`,
      "events { }",
      `http { access_log off; ${temporary.join(" ")}`,
      site,
      "}",
    ];
    await writeFile(join(this.#folder, "nginx.conf"), text.join("\n"));
    await run(this.#nginx.path, [...this.#arguments(), "-t"], { env: this.#nginx.environment });
  }

  #arguments(): string[] {
    return ["-p", this.#folder, "-c", join(this.#folder, "nginx.conf"), "-e", join(this.#folder, "error.log")];
  }

  async #workers(): Promise<readonly string[]> {
    const pid = this.#child?.pid;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    return children.split(" ").filter(Boolean);
  }

  async #until(condition: () => Promise<boolean>): Promise<void> {
    const log = (): Promise<string> => readFile(join(this.#folder, "error.log"), "utf8").catch(() => "it wrote no log");
    const holds = async (): Promise<boolean> => {
      if (this.#child?.exitCode !== null) throw new Error(`nginx has ended: ${await log()}`);
      return condition();
    };
    await until(holds, log, { everyMs: 20 });
  }
}
