import { rm } from "node:fs/promises";
import { Client } from "ldapts";
import {
  GenericContainer,
  getContainerRuntimeClient,
  type StartedTestContainer,
  StartupCheckStrategy,
  type StartupStatus,
} from "testcontainers";
import { inject } from "vitest";
import { connects } from "./ports.ts";
import type { Slapd, SlapdPlace, SlapdRuntime } from "./slapd.ts";
import { SLAPD_IN_IMAGE, SLAPD_PORT_IN_IMAGE } from "./slapd-image.ts";
import { until } from "./until.ts";
import { useEngine } from "./use-docker.ts";

const TIMEOUT_MS = 60_000;
const WAITING = { limitMs: TIMEOUT_MS, everyMs: 20 };
const SECURE_PORT_IN_IMAGE = 3636;

/** Runs servers in containers, with their folder mounted under its own path; undefined where no Docker engine answers. */
export function containerRuntime(): SlapdRuntime | undefined {
  const docker = inject("docker");
  if ("reason" in docker) return undefined;
  useEngine(docker);
  const { slapd: image } = docker.images;
  return {
    schemas: SLAPD_IN_IMAGE.schemas,
    modules: SLAPD_IN_IMAGE.modules,
    load: (folder) => load(image, folder),
    server: (place) => new SlapdContainer(image, place),
  };
}

async function load(image: string, folder: string): Promise<void> {
  const { container: client } = await getContainerRuntimeClient();
  const container = await client.create({
    Image: image,
    Cmd: [SLAPD_IN_IMAGE.path, "-T", "add", "-q", "-f", "slapd.conf", "-l", "entries.ldif"],
    WorkingDir: folder,
    User: user(),
    HostConfig: { Binds: [`${folder}:${folder}`] },
  });
  try {
    await container.start();
    const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
    if (code !== 0) throw new Error(`slapadd ended with exit code ${code}`);
  } finally {
    await container.remove({ force: true });
  }
}

/** What the server writes has to be ours to remove. */
function user(): string {
  return `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
}

class SlapdContainer implements Slapd {
  readonly port: number;
  readonly securePort: number;
  readonly #image: string;
  readonly #place: SlapdPlace;
  #started: StartedTestContainer | undefined;

  constructor(image: string, place: SlapdPlace) {
    this.port = place.port;
    this.securePort = place.securePort;
    this.#image = image;
    this.#place = place;
  }

  async restart(): Promise<void> {
    if (this.#started) {
      await this.crash();
      await (await this.#container()).start();
      await until(() => answers(this.port), "slapd answers", WAITING);
    } else {
      this.#started = await this.#create().start();
    }
  }

  async crash(): Promise<void> {
    if (!this.#started) return;
    const container = await this.#container();
    const { State } = await container.inspect();
    if (State.Paused) await container.unpause();
    if (!State.Running) return;
    await container.kill({ signal: "SIGKILL" });
    await container.wait();
    // The engine lets go of the port a little later.
    await until(async () => !(await connects(this.port)), "the port is let go", WAITING);
  }

  async stop(): Promise<void> {
    await this.crash();
    await this.#started?.stop({ timeout: 0 });
    await rm(this.#place.folder, { recursive: true, force: true });
  }

  async freeze(): Promise<void> {
    await (await this.#container()).pause();
  }

  async thaw(): Promise<void> {
    await (await this.#container()).unpause();
  }

  #create(): GenericContainer {
    const { folder, port, securePort, secure } = this.#place;
    const urls = [
      `ldap://0.0.0.0:${SLAPD_PORT_IN_IMAGE}/`,
      ...(secure ? [`ldaps://0.0.0.0:${SECURE_PORT_IN_IMAGE}/`] : []),
    ];
    return (
      new GenericContainer(this.#image)
        .withCommand([SLAPD_IN_IMAGE.path, "-f", "slapd.conf", "-h", urls.join(" "), "-d", "0"])
        .withWorkingDir(folder)
        .withUser(user())
        .withBindMounts([{ source: folder, target: folder }])
        // The address stays the same after a crash.
        .withExposedPorts(
          { container: SLAPD_PORT_IN_IMAGE, host: port },
          { container: SECURE_PORT_IN_IMAGE, host: securePort },
        )
        .withWaitStrategy(new LdapAnswers(port))
    );
  }

  async #container() {
    if (!this.#started) throw new Error("start it first");
    const { container } = await getContainerRuntimeClient();
    return container.getById(this.#started.getId());
  }
}

class LdapAnswers extends StartupCheckStrategy {
  readonly #port: number;

  constructor(port: number) {
    super();
    this.#port = port;
  }

  override async checkStartupState(): Promise<StartupStatus> {
    return (await answers(this.#port)) ? "SUCCESS" : "PENDING";
  }
}

/** Whether the server itself answers: the engine takes connections before the server does. */
async function answers(port: number): Promise<boolean> {
  const client = new Client({ url: `ldap://127.0.0.1:${port}`, timeout: TIMEOUT_MS });
  try {
    await client.bind("", "");
    return true;
  } catch {
    // Not yet.
    return false;
  } finally {
    await client.unbind();
  }
}
