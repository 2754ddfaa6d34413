import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from "testcontainers";
import { document, ruleDocument } from "../auth/access-files.ts";

/** User and group that the image runs as. */
export const IMAGE_USER = 10001;
const PORT = 8988;

/** A container whose own file system cannot be written. */
export class ReadOnlyContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    this.hostConfig.ReadonlyRootfs = true;
    this.withDroppedCapabilities("ALL").withSecurityOpt("no-new-privileges");
  }
}

/** Files that a container mounts: access files (read-only) and a folder for the audit file. */
export class Mounts {
  readonly #root = mkdtempSync(join(tmpdir(), "gateway-container-"));
  readonly access = join(this.#root, "access");
  readonly data = join(this.#root, "data");

  constructor() {
    chmodSync(this.#root, 0o755);
    for (const folder of [this.access, this.data]) mkdirSync(folder);
    chownSync(this.data, IMAGE_USER, IMAGE_USER);
  }

  /** Writes the access files of a user `chief`; `rules` are those of `uac-access-rules.xml`. */
  writeAccess(password: string, ...rules: readonly string[]): void {
    const user = `<user id="chief"><password>${password}</password></user>`;
    this.write("uac-file-security.xml", document("config", `<users>${user}</users>`));
    this.write("uac-access-rules.xml", ruleDocument(...rules));
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.access, name), content);
  }

  /** Records of the audit file. */
  records(): Record<string, unknown>[] {
    const lines = readFileSync(join(this.data, "audit.jsonl"), "utf8").split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get binds(): { source: string; target: string; mode: "ro" | "rw" }[] {
    return [
      { source: this.access, target: "/etc/trading-admin/access", mode: "ro" },
      { source: this.data, target: "/var/lib/trading-admin", mode: "rw" },
    ];
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** A gateway's container as `docs/deploy/README.md` runs it: read-only, without capabilities, plain HTTP as behind a proxy. */
export function gatewayContainer(image: string, mounts: Mounts): GenericContainer {
  return new ReadOnlyContainer(image)
    .withEnvironment({ ADMIN_API_ALLOWBASICWITHOUTTLS: "true" })
    .withExposedPorts(PORT)
    .withBindMounts(mounts.binds)
    .withWaitStrategy(Wait.forLogMessage(/^listening on /m))
    .withStartupTimeout(60_000);
}

/** Address of the API in a container. */
export function baseUrl(container: StartedTestContainer): string {
  return `http://${container.getHost()}:${container.getMappedPort(PORT)}/api/admin/v1`;
}

/** How a container ended. */
export interface EndedContainer {
  readonly code: number;
  readonly output: string;
}

/** Runs a container that ends by itself, and removes it. */
export async function runToEnd(image: string, mounts: Mounts, args: readonly string[] = []): Promise<EndedContainer> {
  const { container: client } = await getContainerRuntimeClient();
  const container = await client.create({
    Image: image,
    ...(args.length > 0 && { Cmd: [...args] }),
    Env: ["ADMIN_API_ALLOWBASICWITHOUTTLS=true"],
    HostConfig: {
      ReadonlyRootfs: true,
      Binds: mounts.binds.map(({ source, target, mode }) => `${source}:${target}:${mode}`),
    },
  });
  try {
    await container.start();
    const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
    return { code, output: await text(await client.logs(container)) };
  } finally {
    await container.remove({ force: true });
  }
}

/** Sends SIGTERM as an orchestrator does, and tells how the container ended. */
export async function terminate(started: StartedTestContainer): Promise<EndedContainer> {
  const { container: client } = await getContainerRuntimeClient();
  const container = client.getById(started.getId());
  const ended = container.wait() as Promise<{ StatusCode: number }>;
  await container.kill({ signal: "SIGTERM" });
  const { StatusCode: code } = await ended;
  return { code, output: await text(await client.logs(container)) };
}
